/** A data directory or a dump that is put back in place: same cluster, timeline and database, older content. */
import { afterAll, describe, expect, test } from "bun:test";
import { insertLane } from "@cardkeep/db/queries/chain/relay/lanes";
import { reconciliations } from "@cardkeep/db/schema/tables";
import { mayLackRows } from "@cardkeep/domain/chain/guards/restoreGuard";
import { createContext } from "@cardkeep/domain/core/context";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import { startPostgres } from "@cardkeep/local/postgres";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { asc, sql } from "drizzle-orm";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createTestDatabase } from "../support/database.ts";
import { createDataFolder } from "../support/dataFolder.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";

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
    const detectAt = async (mined: number) => {
      const getTransactionCount = async (address: string) => (address === spenderAddress ? mined : 0);
      await createRestoreDetector()({ ...ctx, chain: { ...ctx.chain, getTransactionCount } });
      return (await db.select().from(reconciliations).orderBy(asc(reconciliations.sequence))).map(
        ({ reason }) => reason,
      );
    };
    return { db, spenderAddress, detectAt };
  };

  test("notices that the chain has transactions of our keys that no row knows, and no unused or equal lane", async () => {
    const { db, spenderAddress, detectAt } = await open();
    expect(await detectAt(5)).toEqual(["first"]);
    await insertLane(db, spenderAddress, 5n);
    expect(await detectAt(5)).toEqual(["first"]);
    expect(await detectAt(6)).toEqual(["first", "restored"]);
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
