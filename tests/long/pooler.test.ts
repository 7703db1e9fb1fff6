/** A pooler before the database: what works through it, and what is refused at the start. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openDatabase } from "@cardkeep/db/client";
import { openClient } from "@cardkeep/db/openClient";
import { hearsNotifications, keepsPreparedStatements, keepsSession, proveAddresses } from "@cardkeep/db/proveAddresses";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { Person } from "../support/person.ts";
import { type Pooler, readPgbouncerVersion, startPgbouncer } from "../support/pgbouncer.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp, spawnProcess } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";

const version = readPgbouncerVersion();
const preparesSince = 121;
if (version === null)
  process.stderr.write("tests/long/pooler.test.ts: pgbouncer is not on the PATH, its tests are skipped\n");

let service: Service;
let other: TestDatabase;
let direct: string;
const clients: postgres.Sql[] = [];
const poolers: Pooler[] = [];
const started: AppProcess[] = [];
const connect = (max: number, url = direct) => {
  const client = postgres(url, { max, onnotice: () => {} });
  clients.push(client);
  return client;
};
const pool = async (mode: "transaction" | "session"): Promise<Pooler> => {
  const one = await startPgbouncer(direct, { mode, prepared: (version ?? 0) >= preparesSince });
  poolers.push(one);
  return one;
};
beforeAll(async () => {
  service = await startService({ worker: false });
  direct = service.env["DATABASE_URL"] ?? "";
  other = await createTestDatabase();
});
afterAll(async () => {
  for (const app of started) {
    app.kill("SIGKILL");
    await app.exited;
  }
  await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
  await Promise.all(poolers.map((one) => one.stop()));
  await other.drop();
  await service.stop();
});

const start = async (app: string, env: Record<string, string>): Promise<AppProcess> => {
  const [port = 0] = await findFreePorts(1);
  const one = await spawnApp(app, { ...service.env, PORT: String(port), ...env });
  started.push(one);
  return one;
};
/** The exit code and the last line of a server and a worker that do not start. */
const startBoth = (env: Record<string, string>) =>
  Promise.all(
    ["server", "worker"].map(async (app) => {
      const one = await start(app, env);
      return [await one.exited, one.output().trimEnd().split("\n").at(-1)];
    }),
  );
const faultOf = (url: string, sessionUrl: string): Promise<string> =>
  proveAddresses({ url, sessionUrl }).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe("the proof of a session", () => {
  test("accepts connections of their own, and refuses clients that share few connections", async () => {
    expect(await keepsSession(() => connect(1))).toBe(true);
    for (const shared of [connect(1), connect(2), connect(3)]) expect(await keepsSession(() => shared)).toBe(false);
  });

  test("accepts prepared statements on a connection of their own, and hears notifications of the same database only", async () => {
    expect(await keepsPreparedStatements(() => connect(1))).toBe(true);
    const to = () => connect(1);
    expect(await hearsNotifications({ from: () => connect(1), to })).toBe(true);
    expect(await hearsNotifications({ from: () => connect(1, other.url), to, timeoutMs: 500 })).toBe(false);
  });
});

describe.skipIf(version === null)("PgBouncer", () => {
  test("in session mode is as good as the database itself", async () => {
    const { url } = await pool("session");
    expect(await faultOf(url, url)).toBe("");
  });

  test("in transaction mode keeps no session: server and worker end with 1 and one line", async () => {
    const { url } = await pool("transaction");
    const line = (name: string, advice: string) =>
      `${name} keeps no session: it leads through a pooler in transaction mode. ${advice}`;
    const [server, worker] = await startBoth({ DATABASE_URL: url });
    const alone = line("DATABASE_URL", "Set DATABASE_SESSION_URL to an address past the pooler");
    expect(server).toEqual([1, `cardkeep server: ${alone}`]);
    expect(worker).toEqual([1, `cardkeep worker: ${alone}`]);
    const migration = spawnProcess([process.execPath, "packages/runtime/src/migrate.ts"], { DATABASE_URL: url });
    started.push(migration);
    expect(await migration.exited).toBe(1);
    expect(migration.output()).toBe(`cardkeep migrate: ${alone}\n`);
    expect(await faultOf(direct, url)).toBe(line("DATABASE_SESSION_URL", "Set it to an address past the pooler"));
  });

  test("in transaction mode keeps no session, though another process gives a backend back during the proof", async () => {
    const { url } = await pool("transaction");
    const taken = Promise.withResolvers<void>();
    const givesBack = Promise.withResolvers<void>();
    const stranger = connect(1, url).begin(async (tx) => {
      await tx`select 1`.simple();
      taken.resolve();
      await givesBack.promise;
    });
    await taken.promise;
    // The pooler hands out the backend that came back last: from then on each of the proof's clients has one of its own.
    const connectLate = () => {
      const client = openClient(url, { max: 1 });
      const begin = client.begin.bind(client);
      return Object.assign(client, {
        begin: async (work: (tx: postgres.TransactionSql) => Promise<unknown>) => {
          givesBack.resolve();
          await stranger;
          return begin(work);
        },
      });
    };
    expect(await keepsSession(connectLate)).toBe(false);
  });

  test.skipIf((version ?? 0) >= preparesSince)("before 1.21 loses prepared statements and is refused", async () => {
    const { url } = await pool("transaction");
    expect(await faultOf(url, direct)).toBe(
      "DATABASE_URL leads through a pooler that loses prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements above 0",
    );
  });

  test.skipIf((version ?? 0) < preparesSince)(
    "since 1.21 carries server and worker in transaction mode, with sessions past it",
    async () => {
      const { url } = await pool("transaction");
      const env = { DATABASE_URL: url, DATABASE_SESSION_URL: direct };
      const [server, worker] = await Promise.all([start("server", env), start("worker", env)]);
      await Promise.all([server.ready("listening"), worker.ready("taking jobs")]);
      const [, port = ""] = /"port":(\d+)/.exec(server.output()) ?? [];
      const ada = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl });
      await (await ada.signIn()).signUp();
      await ada.becomeSafeOwner();
      const people = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const person = new Person({ url: ada.service.url, sandboxUrl: service.sandboxUrl });
          await (await person.signIn()).signUp();
          return person.call("GET", "/user");
        }),
      );
      expect(new Set(people.map(({ status }) => status))).toEqual(new Set([200]));
      const { parts } = await (await fetch(`${ada.service.url}/readyz`)).json();
      expect([parts.database.status, parts.worker.status]).toEqual(["ok", "ok"]);
    },
  );

  test.skipIf((version ?? 0) < preparesSince)(
    "ends a transaction's statement in time, and keeps no setting",
    async () => {
      const { url } = await pool("transaction");
      const { db, close } = openDatabase({
        url,
        sessionUrl: direct,
        connectionsMax: 2,
        statementTimeoutMs: 300,
        applicationName: "pooled",
      });
      const timeout = async (on: Pick<typeof db, "execute">) =>
        (await on.execute<{ timeout: string }>(sql`select current_setting('statement_timeout') as timeout`))[0]
          ?.timeout;
      expect([await db.transaction(timeout), await timeout(db)]).toEqual(["300ms", "0"]);
      const slow = db.transaction((tx) => tx.execute(sql`select pg_sleep(30)`));
      expect(
        await slow.then(
          () => "done",
          () => "ended",
        ),
      ).toBe("ended");
      await close();
    },
  );
});
