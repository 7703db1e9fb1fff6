/** What chain, rows, ledger and issuer say after a failover. */
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import { tokens } from "@cardkeep/chain/tokens";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import type { SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { sql } from "drizzle-orm";
import { cent } from "./spending.ts";
import type { Withdrawal } from "./withdrawalLoad.ts";

/** How often the chain executed each withdrawal. */
export const countExecutions = ({ chain }: SandboxRuntime, withdrawals: readonly Withdrawal[]) =>
  Promise.all(
    withdrawals.map(async (withdrawal) => ({
      ...withdrawal,
      times: Number(await chain.getTokenBalance(tokens.EURe.address, withdrawal.destination)),
    })),
  );

/** Queue entries of these modules on chain that no operation stands for. */
export async function countWithoutRow({ chain, db }: SandboxRuntime): Promise<number> {
  const rows = await db.select().from(delayTransactions);
  const known = new Set(rows.map(({ delayAddress, queueNonce }) => `${delayAddress} ${queueNonce}`.toLowerCase()));
  const { number: toBlock } = await chain.getBlock();
  const addresses = [...new Set(rows.map(({ delayAddress }) => delayAddress))];
  const logs = await chain.getLogs({ addresses, fromBlock: 0n, toBlock });
  const entries = logs.flatMap((log) => {
    const entry = parseQueueLog(log);
    return entry === null ? [] : [`${log.address} ${entry.queueNonce}`.toLowerCase()];
  });
  return entries.filter((entry) => !known.has(entry)).length;
}

/** The money of card payments in cents, by the ledger, by the settlement account on chain and by the issuer. */
export async function readBooks({ chain, db, store, settings }: SandboxRuntime) {
  const { settlementAddress } = settings.policy;
  const [ledger] = await db.execute<{ sum: string }>(
    sql`select coalesce(sum(settlement), 0)::text as sum from ledger_entries`,
  );
  const [issuer] = await store.execute<{ sum: string }>(sql`
    select coalesce(-sum((data ->> 'amount')::bigint), 0)::text as sum from sandbox.issuer_objects
    where object = 'issuing.transaction'`);
  return {
    ledger: BigInt(ledger?.sum ?? -1) / cent,
    chain: (await chain.getTokenBalance(tokens.EURe.address, settlementAddress)) / cent,
    issuer: BigInt(issuer?.sum ?? -1),
  };
}
