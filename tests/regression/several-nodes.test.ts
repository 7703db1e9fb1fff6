/** DATABASE_URL with several nodes: the primary is found whichever is named first, and again after a failover. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { findNodeFault, isDatabaseUnavailable } from "@cardkeep/db/errors";
import { migrate } from "@cardkeep/db/migrate";
import { announcePools, requireWritable } from "@cardkeep/db/queue/liveness";
import { createQueuePool } from "@cardkeep/db/queue/pool";
import { type Postgres, startPostgres } from "@cardkeep/local/postgres";
import { sql } from "drizzle-orm";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createDataFolder } from "../support/dataFolder.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { addStandby, type Standby } from "../support/standby.ts";

let folder: string;
let primary: Postgres;
let standby: Standby;
let ports: { primary: number; standby: number };
let url: string;
const errors: Error[] = [];
const onError = (error: Error) => void errors.push(error);
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await createDataFolder();
  const [primaryPort = 0, standbyPort = 0] = await findFreePorts(2);
  ports = { primary: primaryPort, standby: standbyPort };
  url = `postgres://cardkeep@127.0.0.1:${standbyPort},127.0.0.1:${primaryPort}/cardkeep?target_session_attrs=read-write`;
  const dataDirectory = join(folder, "primary");
  await fillData(dataDirectory);
  primary = await startPostgres({ dataDirectory, port: primaryPort, fsync: false });
  const copy = { name: "standby", dataDirectory: join(folder, "standby"), port: standbyPort };
  standby = await addStandby({ ...primary, dataDirectory }, copy);
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await Promise.all([primary.stop(), standby.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const open = (of: string): Database => {
  const database = openDatabase({ url: of, connectionsMax: 3, statementTimeoutMs: 5_000, applicationName: "nodes" });
  stops.push(database.close);
  return database;
};
const openQueue = (of: string) => {
  const pool = createQueuePool({ url: of, applicationName: "nodes-queue", connectionsMax: 2, onError });
  stops.push(() => pool.end());
  return pool;
};
const portQuery = "select inet_server_port() as port";
const portOf = async ({ db }: Database) => (await db.execute<{ port: number }>(sql.raw(portQuery)))[0]?.port;
const queuePortOf = async (pool: ReturnType<typeof openQueue>): Promise<number> =>
  (await pool.query<{ port: number }>(portQuery)).rows[0]?.port ?? 0;
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Whether `asked` answers this value; false while it fails. */
const answers = (asked: Promise<unknown>, value: unknown): Promise<boolean> =>
  asked.then(
    (answer) => answer === value,
    () => false,
  );

test("a read-only node and a standby are refused by every pool, and each is named with the reason", async () => {
  const admin = open(primary.url);
  await admin.db.execute(sql.raw("alter system set default_transaction_read_only = on"));
  await admin.db.execute(sql`select pg_reload_conf()`);
  const queue = openQueue(url);
  await until(async () => !(await answers(queuePortOf(openQueue(url)), ports.primary)));
  const { db, reads, listen } = open(url);
  const faults = `No node of the database takes writes: 127.0.0.1:${ports.standby} is in recovery, 127.0.0.1:${ports.primary} is read-only`;
  const sorted = (text: string | null) => text?.split(/: |, /).toSorted();
  const refusals = await Promise.all(
    [
      db.execute(sql`select 1`),
      reads`select 1`,
      listen("some", () => {}),
      announcePools(url, ["a"], "b"),
      migrate(url),
    ].map((asked) =>
      asked.then(
        () => null,
        (error: unknown) => error,
      ),
    ),
  );
  for (const error of refusals) {
    expect(sorted(findNodeFault(error))).toEqual(sorted(faults));
    expect(isDatabaseUnavailable(error)).toBe(true);
  }
  expect(sorted(await queue.query("select 1").then(() => "", messageOf))).toEqual(sorted(faults));
  const single = openQueue(primary.url);
  expect(await single.query("select 1").then(() => "", messageOf)).toBe("The database is read-only");
  // A client of this one node still reads, and can repair it.
  await expect(requireWritable(open(primary.url).db)).rejects.toThrow("The database is read-only");
  const repair = open(primary.url);
  await repair.db.execute(sql.raw("alter system reset default_transaction_read_only"));
  await repair.db.execute(sql`select pg_reload_conf()`);
  await until(() => answers(portOf(open(url)), ports.primary));
});

test("after a failover every pool, LISTEN and the queue find the new primary without help", async () => {
  const database = open(url);
  const queue = openQueue(url);
  let wakes = 0;
  stops.push(await database.listen("some", () => void wakes++));
  const heartbeat = await announcePools(url, ["a"], "b");
  stops.push(heartbeat.release);
  expect([await portOf(database), await queuePortOf(queue)]).toEqual([ports.primary, ports.primary]);
  await primary.stop();
  await heartbeat.lost;
  await expect(portOf(database)).rejects.toThrow();
  await standby.promote();
  await until(() => answers(portOf(database), ports.standby));
  await until(() => answers(queuePortOf(queue), ports.standby));
  await migrate(url);
  const before = wakes;
  // The listener's own reconnection calls `wake` too.
  await until(async () => {
    await database.db.execute(sql`select pg_notify('some', '')`);
    return wakes > before + 1;
  });
});
