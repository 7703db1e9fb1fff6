/** Lists from a read replica: never older than what was answered before, and from the primary whenever the replica cannot. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, type Executor, openDatabase } from "@cardkeep/db/client";
import { createLists, type Lists } from "@cardkeep/db/lists";
import { type Postgres, startPostgres } from "@cardkeep/local/postgres";
import { sql } from "drizzle-orm";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createDataFolder } from "../support/dataFolder.ts";
import { expectWithin, until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { addStandby, askServer, type Standby } from "../support/standby.ts";

let folder: string;
let primary: Postgres;
let standby: Standby;
let database: Database;
const opened: Database[] = [];

beforeAll(async () => {
  folder = await createDataFolder();
  const [port = 0, standbyPort = 0] = await findFreePorts(2);
  const dataDirectory = join(folder, "primary");
  // A commit counts as answered once it is on disk, as in production.
  await fillData(dataDirectory);
  primary = await startPostgres({ dataDirectory, port });
  await askServer(primary.url, "create table notes (n int)");
  const copy = { name: "replica", dataDirectory: join(folder, "standby"), port: standbyPort };
  standby = await addStandby({ ...primary, dataDirectory }, copy);
  database = open(standby.url);
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await Promise.all([primary.stop(), standby.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const open = (readUrl: string): Database => {
  const one = openDatabase({
    url: primary.url,
    readUrl,
    connectionsMax: 3,
    statementTimeoutMs: 5_000,
    applicationName: "replica",
  });
  opened.push(one);
  return one;
};
const insert = (n: number) => database.db.execute(sql`insert into notes values (${n})`);
/** The newest note, and whether a replica answered. */
const readNewest = (lists: Lists) =>
  lists.read(async (on: Executor) => {
    const [row] = await on.execute<{ newest: number; isReplica: boolean }>(
      sql`select max(n) as newest, pg_is_in_recovery() as "isReplica" from notes`,
    );
    return row;
  });
/** A process of its own, which has not learnt of any failure. */
const anotherProcess = () => createLists(database);

test("without a replica the primary answers, with no statement more", async () => {
  const lists = createLists({ ...database, replica: null });
  await insert(0);
  expect(await readNewest(lists)).toEqual({ newest: 0, isReplica: false });
  expect(await lists.findFault()).toBeNull();
});

test("a list shows every write that was answered before, on whichever process, and the replica answers it", async () => {
  const [one, other] = [anotherProcess(), anotherProcess()];
  await until(async () => (await readNewest(one))?.isReplica === true);
  let byReplica = 0;
  // A standby that answers late once rests for two seconds.
  for (let n = 1; n <= 60 || byReplica <= 60; n++) {
    await insert(n);
    const answers = await Promise.all([readNewest(one), readNewest(other), readNewest(one)]);
    expect(answers.map((answer) => answer?.newest)).toEqual([n, n, n]);
    byReplica += answers.filter((answer) => answer?.isReplica).length;
  }
  expect(await one.findFault()).toBeNull();
});

test("a replica that stands still is left: the primary answers, and the operator reads how far it is behind", async () => {
  await askServer(standby.url, "select pg_wal_replay_pause()");
  await insert(100_000);
  const lists = anotherProcess();
  expect(await readNewest(lists)).toEqual({ newest: 100_000, isReplica: false });
  await until(async () => (await lists.findFault())?.startsWith("The read replica is ") === true);
  expect(await lists.findFault()).toMatch(
    /^The read replica is \d+ s behind; lists read the primary, see DATABASE_READ_URL$/,
  );
  await askServer(standby.url, "select pg_wal_replay_resume()");
  await until(async () => (await readNewest(lists))?.isReplica === true);
  expect(await lists.findFault()).toBeNull();
});

test("a replica that is away, hangs or is the primary itself costs a list at most a second, once", async () => {
  const [port = 0] = await findFreePorts(1);
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  for (const [url, reason] of [
    [`postgres://cardkeep@127.0.0.1:${port}/cardkeep`, /^The read replica does not answer/],
    [
      `postgres://cardkeep@127.0.0.1:${silent.port}/cardkeep`,
      /^The read replica does not answer \(no answer in time\)/,
    ],
    [primary.url, /^The read replica is no standby; lists read the primary, see DATABASE_READ_URL$/],
  ] as const) {
    await expectWithin(2_000, async () => {
      const lists = createLists(open(url));
      const startedAt = performance.now();
      for (let round = 0; round < 5; round++) expect((await readNewest(lists))?.isReplica).toBe(false);
      const ms = performance.now() - startedAt;
      expect(await lists.findFault()).toMatch(reason);
      return ms;
    });
  }
  silent.stop(true);
});

test("a replica that was promoted answers nothing more, although its connections last", async () => {
  const lists = anotherProcess();
  await until(async () => (await readNewest(lists))?.isReplica === true);
  await standby.promote();
  await askServer(standby.url, "insert into notes values (999999)");
  await insert(200_000);
  expect(await readNewest(lists)).toEqual({ newest: 200_000, isReplica: false });
  expect(await lists.findFault()).toStartWith("The read replica");
});
