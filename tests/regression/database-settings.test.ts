/** How the limits and plans of the database's connections are set: never at start-up, because PgBouncer refuses that. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "@cardkeep/db/client";
import { isDatabaseUnavailable } from "@cardkeep/db/errors";
import { createQueuePool } from "@cardkeep/db/queue/pool";
import { sql } from "drizzle-orm";
import { createServer } from "node:net";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startSqlProxy } from "../support/sqlProxy.ts";

let database: TestDatabase;
const opened: Database[] = [];
const open = (url: string, sessionUrl = url) => {
  const one = openDatabase({
    url,
    sessionUrl,
    connectionsMax: 1,
    statementTimeoutMs: 400,
    applicationName: "settings",
  });
  opened.push(one);
  return one;
};
/** The same database under another address, as past a pooler. */
const anotherAddress = (url: string) => `${url}?sslmode=disable`;
beforeAll(async () => {
  database = await createTestDatabase();
  // As in production: the server of the tests has another mode.
  const { db } = open(database.url);
  await db.execute(sql.raw(`alter database ${new URL(database.url).pathname.slice(1)} set plan_cache_mode = 'auto'`));
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await database.drop();
});

const question = "select current_setting('statement_timeout') as timeout, current_setting('plan_cache_mode') as plan";
type Row = { timeout: string; plan: string };
const ask = async (on: Pick<Database["db"], "execute">) => (await on.execute<Row>(sql.raw(question)))[0];
const askReads = async (reads: Database["reads"]) => (await reads.unsafe<Row[]>(question))[0];
const sleep = sql`select pg_sleep(30)`;

test("a connection begins with the name of its user, database and process, and with no setting", async () => {
  const first = Promise.withResolvers<string[]>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      first.resolve(bytes.subarray(8).toString().split("\0"));
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const url = `postgres://me@127.0.0.1:${port}/it`;
  const pool = createQueuePool({ url, applicationName: "settings", connectionsMax: 1, onError: () => {} });
  const asked = Promise.allSettled([open(url).reads`select 1`, pool.query("select 1")]);
  const names = (await first.promise).filter((text, index) => index % 2 === 0 && text !== "");
  await asked;
  await pool.end();
  server.close();
  expect(names.toSorted()).toEqual(["application_name", "client_encoding", "database", "user"]);
});

test("directly, each connection has its limit and plans from its first statement on, set once", async () => {
  const proxy = await startSqlProxy(database.url);
  const { db, reads } = open(proxy.url);
  expect(await ask(db)).toEqual({ timeout: "400ms", plan: "auto" });
  expect(await askReads(reads)).toEqual({ timeout: "400ms", plan: "force_generic_plan" });
  expect(await db.execute(sleep).then(() => "done", isDatabaseUnavailable)).toBe(true);
  proxy.take();
  await reads.unsafe(question);
  await db.transaction((tx) => ask(tx));
  expect(proxy.take()).toEqual([question, "begin ", question, "commit"]);
  await proxy.stop();
});

test("through a pooler, a transaction has its limit, and no setting stays on the connection", async () => {
  const proxy = await startSqlProxy(database.url);
  const { db, reads } = open(proxy.url, anotherAddress(proxy.url));
  const none = { timeout: "0", plan: "auto" };
  expect([await ask(db), await askReads(reads)]).toEqual([none, none]);
  proxy.take();
  expect(await db.transaction((tx) => ask(tx))).toEqual({ timeout: "400ms", plan: "auto" });
  expect(proxy.take()).toEqual(["begin ", "set local statement_timeout = 400", question, "commit"]);
  const isolated = await db.transaction(
    async (tx) =>
      (await tx.execute<{ level: string }>(sql`select current_setting('transaction_isolation') as level`))[0],
    { isolationLevel: "repeatable read" },
  );
  expect(isolated?.level).toBe("repeatable read");
  expect(await db.transaction((tx) => tx.execute(sleep)).then(() => "done", isDatabaseUnavailable)).toBe(true);
  expect(await ask(db)).toEqual(none);
  await proxy.stop();
});
