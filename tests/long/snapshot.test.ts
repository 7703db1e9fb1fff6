/** A data directory or a dump that is put back in place: same cluster, timeline and database, older content. */
import { afterAll, describe, expect, setSystemTime, test } from "bun:test";
import { catchUpLane, insertLane } from "@cardkeep/db/queries/chain/relay/lanes";
import { addReconciledStep, findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { discrepancies, reconciliations, relayers } from "@cardkeep/db/schema/tables";
import { compareNonces } from "@cardkeep/domain/chain/relay/compareNonces";
import { mayLackRows } from "@cardkeep/domain/chain/guards/restoreGuard";
import { createContext } from "@cardkeep/domain/core/context";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import { reconcileTransactions } from "@cardkeep/domain/sync/reconciliations/reconcileTransactions";
import { startPostgres } from "@cardkeep/local/postgres";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { asc, eq, sql } from "drizzle-orm";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createTestDatabase } from "../support/database.ts";
import { createDataFolder } from "../support/dataFolder.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const block = {
  number: 1n,
  hash: `0x${"11".repeat(32)}`,
  parentHash: `0x${"10".repeat(32)}`,
  baseFeePerGas: 1n,
} as const;
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const copyFolder = async (from: string, to: string): Promise<void> => {
  await rm(to, { recursive: true, force: true });
  expect(await Bun.spawn(["cp", "-a", from, to]).exited).toBe(0);
};

test("a process that has seen a later position of the write-ahead log notices the older one, once", async () => {
  const folder = await createDataFolder();
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const [port = 0] = await findFreePorts(1);
  const [dataDirectory, snapshot] = [join(folder, "data"), join(folder, "snapshot")];
  await fillData(dataDirectory);
  let postgres = await startPostgres({ dataDirectory, port });
  ends.push(() => postgres.stop());
  const runtime: Runtime = await createRuntime(
    readSettings({ DATABASE_URL: postgres.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent" }),
    "worker",
  );
  ends.push(() => runtime.close());
  const detect = createRestoreDetector();
  const ctx = createContext(runtime.services, { log: runtime.log, requestId: "test" });
  const listReasons = async () =>
    (await runtime.db.select().from(reconciliations).orderBy(asc(reconciliations.sequence))).map(
      ({ reason }) => reason,
    );
  await detect(ctx);
  await detect(ctx);
  expect(await listReasons()).toEqual(["first"]);

  await postgres.stop();
  await copyFolder(dataDirectory, snapshot);
  postgres = await startPostgres({ dataDirectory, port });
  const isBack = () =>
    runtime.db.execute(sql`create table written_later as select generate_series(1, 10000)`).then(
      () => true,
      () => false,
    );
  await until(isBack);
  await detect(ctx);
  expect(await listReasons()).toEqual(["first"]);

  await postgres.stop();
  await copyFolder(snapshot, dataDirectory);
  postgres = await startPostgres({ dataDirectory, port });
  await until(() =>
    detect(ctx).then(
      () => true,
      () => false,
    ),
  );
  await detect(ctx);
  expect(await listReasons()).toEqual(["first", "restored"]);
}, 60_000);

describe("a process that has seen nothing of the database before", () => {
  const open = async () => {
    const database = await createTestDatabase();
    ends.push(() => database.drop());
    const runtime = await createRuntime(
      readSettings({ DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent" }),
      "worker",
    );
    ends.push(() => runtime.close());
    const { db, services, log } = runtime;
    const ctx = createContext(services, { log, requestId: "test" });
    const { spenderAddress } = ctx.policy;
    await createRestoreDetector()(ctx);
    /** A node with a block so old. */
    const chainAt = (counts: Readonly<Record<string, number>>, ageSeconds: number): typeof ctx.chain => ({
      ...ctx.chain,
      getTransactionCount: async (address) => counts[address] ?? 0,
      getBlock: async () => ({ ...block, timestamp: Date.now() / 1000 - ageSeconds }),
    });
    const detectAt = async (mined: number, { detect = createRestoreDetector(), ageSeconds = 0 } = {}) => {
      await detect({ ...ctx, chain: chainAt({ [spenderAddress]: mined }, ageSeconds) });
      return (await db.select().from(reconciliations).orderBy(asc(reconciliations.sequence))).map(
        ({ reason }) => reason,
      );
    };
    return { db, runtime, spenderAddress, chainAt, detectAt };
  };

  test("notices that the chain has transactions of our keys that no row knows, and no unused or equal lane", async () => {
    const { db, spenderAddress, detectAt } = await open();
    expect(await detectAt(5)).toEqual(["first"]);
    await insertLane(db, spenderAddress, 5n);
    expect(await detectAt(5)).toEqual(["first"]);
    expect(await detectAt(6)).toEqual(["first", "restored"]);
  });

  test("takes no answer of a node that lags for the chain's", async () => {
    const { db, spenderAddress, detectAt } = await open();
    await insertLane(db, spenderAddress, 5n);
    const detect = createRestoreDetector();
    expect(await detectAt(5, { detect, ageSeconds: 3_600 })).toEqual(["first"]);
    expect(await detectAt(6, { detect })).toEqual(["first", "restored"]);
  });

  test("has an answer of the chain once: what is used afterwards is another program's", async () => {
    const { db, spenderAddress, detectAt } = await open();
    await insertLane(db, spenderAddress, 5n);
    const detect = createRestoreDetector();
    expect(await detectAt(5, { detect })).toEqual(["first"]);
    expect(await detectAt(6, { detect })).toEqual(["first"]);
  });

  test("notices nonces that no row knows also where a job brought the lane to the chain before the node answered", async () => {
    const { db, spenderAddress, detectAt } = await open();
    await insertLane(db, spenderAddress, 5n);
    const detect = createRestoreDetector();
    expect(await detectAt(5, { detect, ageSeconds: 3_600 })).toEqual(["first"]);
    await catchUpLane(db, spenderAddress, 6n, new Date());
    expect(await detectAt(6, { detect })).toEqual(["first", "restored"]);
  });

  test("counts what a former spender known by its address alone sent, and brings its lane to the chain", async () => {
    const { db, runtime, chainAt } = await open();
    const former = "0x00000000000000000000000000000000000f0A3e";
    await insertLane(db, former, 5n);
    const own = createWorkerContext(runtime);
    const policy = { ...own.policy, formerSpenderAddresses: [former] as const };
    const ctxAt = (mined: number) => ({ ...own, policy, chain: chainAt({ [former]: mined }, 0) });
    const findLane = async () => (await db.select().from(relayers).where(eq(relayers.address, former)))[0];
    await createRestoreDetector()(ctxAt(6));
    const found = await findNewestReconciliation(db);
    if (found?.reason !== "restored") throw new Error("nothing was noticed");
    await reconcileTransactions(ctxAt(6), found);
    expect(await findLane()).toMatchObject({ nextNonce: 6n, foreignCount: 1n });
    await addReconciledStep(db, found.id, "transactions");
    await compareNonces(ctxAt(7));
    expect(await findLane()).toMatchObject({ nextNonce: 7n, foreignCount: 2n });
  });

  test("takes the nonces of lost rows for its own, also where the worker's clock is behind the database's", async () => {
    const { db, runtime, spenderAddress, chainAt } = await open();
    await insertLane(db, spenderAddress, 5n);
    await db.execute(sql`update reconciliations set database_identity = left(database_identity, -1)`);
    const ctx = { ...createWorkerContext(runtime), chain: chainAt({ [spenderAddress]: 6 }, 0) };
    setSystemTime(new Date(Date.now() - 300_000));
    try {
      await createRestoreDetector()(ctx);
      const found = await findNewestReconciliation(db);
      if (found?.reason !== "restored") throw new Error("nothing was noticed");
      await reconcileTransactions(ctx, found);
    } finally {
      setSystemTime();
    }
    const [lane] = await db.select().from(relayers).where(eq(relayers.address, spenderAddress));
    expect(lane).toMatchObject({ nextNonce: 6n, foreignCount: 0n, foreignSeenAt: null });
    expect(await db.select().from(discrepancies)).toMatchObject([{ kind: "nonce", action: expect.any(String) }]);
  });

  test("notices a dump that was restored into the same database", async () => {
    const { db, detectAt } = await open();
    expect(await detectAt(0)).toEqual(["first"]);
    await db.transaction(async (tx) => {
      await tx.execute(sql`create temporary table dumped on commit drop as table reconciliations`);
      await tx.execute(sql`truncate reconciliations`);
      await tx.execute(sql`insert into reconciliations overriding system value table dumped`);
    });
    expect(await detectAt(0)).toEqual(["first", "restored"]);
  });

  test("takes an identity that an older version stored for the same database", async () => {
    const { db, detectAt } = await open();
    await db.execute(
      sql`update reconciliations set database_identity = regexp_replace(database_identity, '/[^/]*$', '')`,
    );
    expect(await detectAt(0)).toEqual(["first"]);
    expect(await mayLackRows({ db }, null)).toBe(false);
    await db.execute(sql`update reconciliations set database_identity = left(database_identity, -1)`);
    expect(await mayLackRows({ db }, null)).toBe(true);
    expect(await detectAt(0)).toEqual(["first", "restored"]);
  });
});
