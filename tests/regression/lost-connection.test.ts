/** Faults of the Postgres driver after connections ended (porsager/postgres 1186, 1193, 1208, 1216). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase, type Tx } from "@cardkeep/db/client";
import { openSession } from "@cardkeep/db/openSession";
import { sql } from "drizzle-orm";
import { createServer } from "node:net";
import postgres from "postgres";
import { until } from "../support/poll.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let admin: postgres.Sql;
const opened: Database[] = [];
const open = (connectionsMax: number, url = database.url) => {
  const one = openDatabase({ url, connectionsMax, statementTimeoutMs: 10_000, applicationName: "lost" });
  opened.push(one);
  return one;
};
beforeAll(async () => {
  database = await createTestDatabase();
  admin = postgres(database.url, { max: 1 });
  await admin`create table notes (transaction text, place int)`;
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await admin.end();
  await database.drop();
});

const endConnections = () =>
  admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost'`;
const note = (tx: Tx, transaction: string, place: number) =>
  tx.execute(sql`insert into notes values (${transaction}, ${place})`);
const outcomeOf = (work: PromiseLike<unknown> | null): Promise<string> =>
  Promise.resolve(work).then(
    () => "done",
    () => "refused",
  );
const ping = ({ db }: Database) => db.execute(sql`select 1`);
/** Whether each connection of a pool works, and again for the next user. */
const answersEverybody = async (one: Database): Promise<boolean> =>
  (await Promise.allSettled(Array.from({ length: 8 }, () => ping(one)))).every(({ status }) => status === "fulfilled");

test("a session that holds locks is never replaced: once it is lost, every further statement fails", async () => {
  const session = openSession(database.url, { applicationName: "lost" });
  expect(session.options.max_lifetime).toBeNull();
  await session`select 1`;
  await endConnections();
  await until(async () => (await outcomeOf(session`select 1`)) === "refused");
  expect(await outcomeOf(session`select 1`)).toBe("refused");
});

test("a transaction whose connection ended between two statements writes nothing more, alone or inside another transaction", async () => {
  const one = open(1);
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let late: Promise<unknown> | null = null;
  // It may be refused before the connections are counted as ended.
  const lost = outcomeOf(
    one.db.transaction(async (tx) => {
      await note(tx, "lost", 1);
      begun.resolve();
      await goOn.promise;
      late = note(tx, "lost", 2);
      await late;
    }),
  );
  await begun.promise;
  await endConnections();
  expect(await lost).toBe("refused");
  await one.db.transaction(async (tx) => {
    await note(tx, "other", 1);
    goOn.resolve();
    await until(() => late !== null);
    expect(await outcomeOf(late)).toBe("refused");
    await note(tx, "other", 2);
  });
  expect([...(await admin`select transaction, place from notes order by place`)]).toEqual([
    { transaction: "other", place: 1 },
    { transaction: "other", place: 2 },
  ]);
});

test("connections that repeatedly end under load fail their own requests and no later one", async () => {
  const one = open(4);
  for (let round = 0; round < 6; round++) {
    const load = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? ping(one)
        : one.db.transaction(async (tx) => {
            await note(tx, "load", 1);
            await note(tx, "load", 2);
          }),
    );
    await Promise.all([endConnections(), Promise.allSettled(load)]);
    // Sooner than an attempt to connect is given up, which takes five seconds.
    await until(() => answersEverybody(one));
  }
  const [row] = await admin`
    select count(*) filter (where place = 1) - count(*) filter (where place = 2) as halves
    from notes where transaction = 'load'`;
  expect(Number(row?.["halves"])).toBe(0);
});

test("a server that closes every connection is refused at once, without endless retries", async () => {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  expect(await ping(open(1, `postgres://nobody@127.0.0.1:${port}/none`)).catch(() => "refused")).toBe("refused");
  expect(count).toBe(1);
  server.close();
});
