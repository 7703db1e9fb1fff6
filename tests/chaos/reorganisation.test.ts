import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import { noteReorganisation, type SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { chainBlocks, delayTransactions, relayAttempts, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { guardByChain, restOn } from "@cardkeep/domain/chain/guards/reorgGuard";
import { createContext } from "@cardkeep/domain/core/context";
import { desc, eq, sql } from "drizzle-orm";
import { BlockNotFoundError, createTestClient, http, publicActions } from "viem";
import { filled } from "../support/filled.ts";
import { type Move, recordMoves } from "../support/moves.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { registerPartner } from "../support/webhooks.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let ada: Person;
let listMoves: () => Promise<Move[]>;
let listSafeMoves: () => Promise<Move[]>;
let paid = 0n;
beforeAll(async () => {
  service = await startService();
  ada = new Person(service);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  listMoves = await recordMoves(service.ownerDb, "delay_transactions");
  listSafeMoves = await recordMoves(service.ownerDb, "safes");
});
afterAll(() => service.stop());

const node = () => createTestClient({ mode: "anvil", transport: http(service.rpcUrl) }).extend(publicActions);
/** Replaces the newest blocks by empty ones, at least those from `through` on. */
async function dropBlocks(depth: number, through: bigint): Promise<void> {
  const hashOf = () =>
    node()
      .getBlock({ blockNumber: through })
      .then(({ hash }) => hash)
      .catch((error: unknown) => (error instanceof BlockNotFoundError ? null : Promise.reject(error)));
  // A receipt may name a block that the node is still adding. Replaced in between, it would stay, without what it changed.
  await until(async () => (await hashOf()) !== null);
  const before = await hashOf();
  // A block mined between the two reads would make the reorganisation miss the deepest block.
  do {
    const head = await node().getBlockNumber({ cacheTime: 0 });
    await reorganise(service, Math.max(depth, Number(head - through) + 1));
  } while ((await hashOf()) === before);
}

const getRow = async (id: string) => {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);
/** The person's Safe is found out of service, and then in service again. */
async function recovers(person: Person, id: string): Promise<void> {
  await until(async () => (await listSafeMoves()).some((move) => move.subject === id && move.from === "ok"));
  await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
}
/** Blocks that no reorganisation of these tests reaches. */
const settle = () => node().mine({ blocks: 12 });

async function submit(amount: string): Promise<string> {
  const body = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount });
  return (await ada.ask("POST", "/accounts/withdraw", body)).body.data.id;
}

async function listEntries(delay: `0x${string}`) {
  const logs = await service.runtime.chain.getLogs({
    addresses: [delay],
    fromBlock: 0n,
    toBlock: (await service.runtime.chain.getBlock()).number,
  });
  return logs.map(parseQueueLog).filter((entry) => entry !== null);
}

async function expectNoGap(): Promise<void> {
  const sent = await service.runtime.db.select().from(relayTransactions);
  const { relayerAddresses } = service.runtime.services.policy;
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter(({ relayer }) => !relayerAddresses.some((each) => each === relayer))).toEqual([]);
  for (const relayer of filled(relayerAddresses)) {
    const nonces = sent.filter((row) => row.relayer === relayer).map((row) => Number(row.nonce));
    expect(new Set(nonces).size).toBe(nonces.length);
    if (nonces.length > 0) {
      expect(await service.runtime.chain.getTransactionCount(relayer, "latest")).toBe(Math.max(...nonces) + 1);
    }
  }
}

describe.each([1, 10])("a reorganisation of %d blocks", (depth) => {
  test("that drops an enqueue: the record goes back, the same bytes are sent again, one entry is queued", async () => {
    await settle();
    const id = await submit("1");
    await reaches(id, "WAITING");
    const before = await getRow(id);
    const attempts = await listAttemptHashes(id);
    await dropBlocks(depth, before.enqueuedBlock ?? 0n);
    await until(async () =>
      (await listMoves()).some((move) => move.subject === id && move.from === "WAITING" && move.to === "QUEUING"),
    );
    await reaches(id, "WAITING");
    const after = await getRow(id);
    expect(
      (await listEntries(after.delayAddress)).filter((entry) => entry.queueNonce === after.queueNonce),
    ).toHaveLength(1);
    expect(after.queueNonce).toBe(before.queueNonce);
    expect(await listAttemptHashes(id)).toEqual(attempts);
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await reaches(id, "EXECUTED");
    paid += 1n;
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
    await expectNoGap();
  });

  test("that drops an execution: no operation stays EXECUTED without its block, and it is executed once", async () => {
    const id = await submit("2");
    await reaches(id, "WAITING");
    await settle();
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await reaches(id, "EXECUTED");
    await dropBlocks(depth, (await getRow(id)).endedBlock ?? 0n);
    await until(async () => (await listMoves()).some((move) => move.subject === id && move.from === "EXECUTED"));
    // The new blocks have not the time that had passed.
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await reaches(id, "EXECUTED");
    paid += 2n;
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(paid);
    const { executedHash } = await getRow(id);
    expect((await service.runtime.chain.findReceipt(executedHash ?? "0x"))?.status).toBe("success");
    await expectNoGap();
  });
});

test("a reorganisation that drops a deployment: the Safe is not in service until it is on chain again", async () => {
  await settle();
  const bea = new Person(service);
  const address = await bea.becomeAccountHolder();
  const [deployment] = await service.runtime.db
    .select()
    .from(relayTransactions)
    .where(eq(relayTransactions.purpose, "safe.deploy"))
    .orderBy(desc(relayTransactions.createdAt));
  await dropBlocks(3, deployment?.blockNumber ?? 0n);
  await recovers(bea, deployment?.subjectId ?? "");
  const rows = await service.runtime.db.select().from(safes).where(eq(safes.address, address));
  expect(rows).toHaveLength(1);
  expect((await bea.call("GET", "/safe/config")).body).toMatchObject({ address, accountStatus: 0 });
  await expectNoGap();
});

test("a reorganisation that drops an account of the older way, creation and set-up: both are mined again as signed", async () => {
  await settle();
  const bob = new Person(service);
  const address = await bob.becomeSafeOwner();
  const signature = await bob.signSetUp();
  await bob.call("PATCH", "/account/deploy-safe-modules", { signature });
  const [row] = await service.runtime.db.select().from(safes).where(eq(safes.address, address));
  const listSent = () =>
    service.runtime.db
      .select()
      .from(relayTransactions)
      .where(eq(relayTransactions.subjectId, row?.id ?? ""))
      .orderBy(relayTransactions.nonce);
  const before = await listSent();
  expect(before.map(({ purpose }) => purpose)).toEqual(["safe.create", "safe.setUp"]);
  await dropBlocks(3, before[0]?.blockNumber ?? 0n);
  await recovers(bob, row?.id ?? "");
  expect((await bob.call("GET", "/safe/config")).body).toMatchObject({ address, accountStatus: 0 });
  const again = await bob.call("PATCH", "/account/deploy-safe-modules", { signature });
  expect(again.body).toMatchObject({ deployed: true });
  expect((await listSent()).map(({ id, status }) => [id, status])).toEqual(before.map(({ id }) => [id, "MINED"]));
  await expectNoGap();
});

test("a record without its proof on chain is found by comparison and corrected", async () => {
  const id = await submit("1");
  await reaches(id, "WAITING");
  const { queueNonce } = await getRow(id);
  await node().mine({ blocks: 4 });
  const { db } = service.runtime;
  await db.update(delayTransactions).set({ queueNonce: 999n }).where(eq(delayTransactions.id, id));
  await db.execute(sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs
    where task_identifier = 'chain.reconcile'), run_at := now())`);
  await until(async () => (await getRow(id)).queueNonce === queueNonce);
  expect((await getRow(id)).status).toBe("WAITING");
});

test("a transaction that is lost without a visible reorganisation blocks its lane for seconds only", async () => {
  await settle();
  const { db } = service.runtime;
  const lost = await submit("1");
  await reaches(lost, "WAITING");
  await dropBlocks(1, (await getRow(lost)).enqueuedBlock ?? 0n);
  // The stored blocks are deleted, so that only the count of transactions can show the loss.
  await db.delete(chainBlocks);
  const behind = await submit("1");
  await until(async () => (await listAttemptHashes(behind)).length === 1);
  await db.execute(sql`update relay_transactions set updated_at = updated_at - interval '20 seconds'`);
  await until(async () => (await getRow(behind)).status === "WAITING");
  await reaches(lost, "WAITING");
  const entries = await listEntries((await getRow(lost)).delayAddress);
  const held = [await getRow(lost), await getRow(behind)].map((row) => row.queueNonce);
  expect(entries.filter(({ queueNonce }) => held.includes(queueNonce))).toHaveLength(2);
  await expectNoGap();
});

async function listAttemptHashes(subjectId: string): Promise<string[]> {
  const rows = await service.runtime.db.select().from(relayAttempts);
  const ids = new Set(
    (await service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, subjectId)))
      .filter(({ purpose }) => purpose === "delay.enqueue")
      .map((row) => row.id),
  );
  return rows.filter((row) => ids.has(row.relayTransactionId)).map(({ hash }) => hash);
}

const contextOf = () => createContext(service.runtime.services, { log: service.runtime.log, requestId: "under way" });

test("a decision that was under way when a reorganisation is noted commits nothing; one that begins after it commits", async () => {
  const ctx = contextOf();
  const decided: string[] = [];
  const begun = await guardByChain(ctx);
  await ctx.commit(({ tx }) => noteReorganisation(tx, ctx.policy.chainId));
  const commit = begun.commit(async () => void decided.push("before"));
  await expect(commit).rejects.toThrow("The chain reorganised");
  const next = await guardByChain(ctx);
  await next.commit(async () => void decided.push("after"));
  expect(decided).toEqual(["after"]);
});

test("a decision that rests on another block than the one seen in its place commits nothing", async () => {
  const { number: blockNumber, hash: blockHash } = await service.runtime.chain.getBlock();
  const removed = { blockNumber, blockHash: `0x${"00".repeat(32)}` } as const;
  const ctx = contextOf();
  const restOnEach = (...blocks: readonly SeenBlock[]) =>
    ctx.commit(async (work) => {
      for (const block of blocks) restOn(work, block);
    });
  // No look has seen a block of this height.
  const ahead = { blockNumber: blockNumber + 1_000_000n, blockHash };
  const beside = { ...ahead, blockHash: removed.blockHash };
  await expect(restOnEach(ahead, beside)).rejects.toThrow("Another block was seen");
  await restOnEach({ blockNumber, blockHash });
  await expect(restOnEach(removed)).rejects.toThrow("Another block was seen");
});

test("a reorganisation has the balances of more Safes checked than one commit adds jobs for", async () => {
  const { ownerDb: db } = service;
  await registerPartner(ada, "crowd");
  await db.execute(sql`insert into users (id, email, kyc_status, partner_id, created_at)
    select 'crowd-' || n, 'crowd-' || n || '@example.org', 'approved', 'crowd', now() from generate_series(1, 501) n`);
  await db.execute(sql`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
      set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
    select id, id, 1, id, id || '-delay', '0x3', '0x4', '0x5', 'operator', '0x6', '0x7', 'EURe', 1, 180, 1800, 'ok', 'r', now(), now()
    from users where id like 'crowd-%'`);
  await db.execute(sql`insert into published_balances (safe_id, total, pending, published_at)
    select id, 1, 0, now() from safes where id like 'crowd-%'`);
  // These Safes are on no chain, so their jobs never become due.
  await db.execute(
    sql.raw(`
    create table crowd_jobs (key text, commit xid8 default pg_current_xact_id());
    create function crowd_jobs() returns trigger language plpgsql security definer as $$ begin
      insert into public.crowd_jobs (key) values (new.key);
      new.run_at := 'infinity';
      return new;
    end $$;
    create trigger crowd_jobs before insert on graphile_worker._private_jobs
      for each row when (new.key like 'balance.publish:crowd-%') execute function crowd_jobs();`),
  );
  // A block that the follower has not seen can be replaced without a trace.
  const head = await node().getBlockNumber({ cacheTime: 0 });
  const followed = sql`select from chain_blocks where is_followed and block_number >= ${head.toString()}::bigint`;
  await until(async () => (await db.execute(followed)).length > 0);
  await dropBlocks(1, head);
  await until(async () => (await db.execute(sql`select distinct key from crowd_jobs`)).length === 501);
  const commits = await db.execute<{ jobs: number }>(sql`select count(*)::int as jobs from crowd_jobs group by commit`);
  expect(Math.max(...commits.map(({ jobs }) => jobs))).toBeWithin(1, 501);
  await db.execute(sql`drop trigger crowd_jobs on graphile_worker._private_jobs`);
});
