/** The lowest possible cost: Bun.serve and postgres.js alone, without authentication, schemas, request ids or rules. */
import { hashModuleMessage } from "@cardkeep/chain/delay";
import { recoverSigner } from "@cardkeep/chain/signatures";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import postgres from "postgres";

const { DATABASE_URL = "", PORT, USER_ID = "", ACCOUNTS = "[]", CONNECTIONS = "10" } = process.env;
const selectDelays = readFileSync(new URL("delays.sql", import.meta.url), "utf8");
const sql = postgres(DATABASE_URL, { max: Number(CONNECTIONS) });

interface Account {
  id: string;
  userId: string;
  delayAddress: Address;
}

interface Withdrawal {
  amount: string;
  to: Address;
  tokenAddress: Address;
  signature: Hex;
  message: { data: Hex; salt: Hex };
}
const accounts: Account[] = JSON.parse(ACCOUNTS);
let turn = 0;

/** The check and the writes of an accepted withdrawal: its signature, then the row and its job in one transaction. */
async function insertWithdrawal(body: Withdrawal) {
  const account = accounts[turn++ % accounts.length];
  if (!account) throw new Error("No accounts were given");
  const messageHash = hashModuleMessage({ delay: account.delayAddress, chainId: 100, ...body.message });
  // Not the sender's account, which is not looked up here: another address, at the same cost.
  const signer = await recoverSigner(messageHash, body.signature);
  if (signer === null) throw new Error("A withdrawal has no signer");
  const now = new Date();
  const row = {
    id: randomUUID(),
    safe_id: account.id,
    user_id: account.userId,
    kind: "withdrawal",
    to: body.tokenAddress,
    value: "0",
    data: body.message.data,
    operation: "CALL",
    token_address: body.tokenAddress,
    amount: body.amount,
    delay_address: account.delayAddress,
    signer,
    message_hash: messageHash,
    enqueue_data: body.message.data,
    status: "QUEUING",
    enqueue_task_id: randomUUID(),
    request_id: randomUUID(),
    created_at: now,
    updated_at: now,
  };
  await sql.begin(async (tx) => {
    await tx`insert into delay_transactions ${tx(row)}`;
    await tx`select graphile_worker.add_job('delay.relay', payload := ${tx.json({ safeId: row.safe_id })}::json,
      max_attempts := 25, job_key := ${`delay.relay:${row.safe_id}`}, run_at := now())`;
  });
  return row;
}

/** The reads of a decision about a card payment. */
async function selectForDecision({ data: { object } }: { data: { object: { id: string; card: { id: string } } } }) {
  const [payments, cards] = await Promise.all([
    sql`select * from card_threads where thread_id = ${object.id}`,
    sql`select c.*, u.status, exists (select from delay_transactions d
      where d.safe_id = c.safe_id and d.status not in ('EXECUTED', 'FAILED')) as paused
      from cards c join users u on u.id = c.user_id where c.card_token = ${object.card.id}`,
  ]);
  const { safe_id: safeId, user_id: userId } = cards[0] ?? {};
  const last = await sql`select coalesce(max(sequence), 0) from live_transfers where safe_id = ${safeId}`;
  const [safes, wallets, holds] = await Promise.all([
    sql`select * from safes where id = ${safeId}`,
    sql`select * from sign_in_wallets where user_id = ${userId}`,
    sql`select id, amount, message_hash, sequence from live_transfers
      where safe_id = ${safeId} and direction = 'spend' and status not in ('DONE', 'FAILED')`,
  ]);
  return { approved: [payments, last, safes, wallets, holds].every((rows) => rows.length >= 0) };
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  routes: {
    "/api/v1/delay-relay": async () => Response.json(await sql.unsafe(selectDelays, [USER_ID], { prepare: true })),
    "/callbacks/stripe": {
      POST: async (request) => Response.json(await selectForDecision(await request.json())),
    },
    "/api/v1/accounts/withdraw": {
      POST: async (request) => Response.json({ data: await insertWithdrawal(await request.json()) }),
    },
  },
});
process.stdout.write("listening\n");
