/** A data directory that is put back, as from a snapshot of a disk: same cluster, timeline and database, older content. */
import { afterAll, expect, test } from "bun:test";
import { reconciliations } from "@cardkeep/db/schema/tables";
import { createContext } from "@cardkeep/domain/core/context";
import { createRestoreDetector } from "@cardkeep/domain/sync/reconciliations/detectRestore";
import { startPostgres } from "@cardkeep/local/postgres";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { asc, sql } from "drizzle-orm";
import { rm } from "node:fs/promises";
import { join } from "node:path";
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
