/** A database that answers but refuses writes, in recovery or read-only, and one whose standbys are asynchronous or hang. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openDatabase } from "@cardkeep/db/client";
import { readReplication } from "@cardkeep/db/queries/core/replication";
import { startPostgres } from "@cardkeep/local/postgres";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { createDataFolder } from "../support/dataFolder.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { fillData } from "../support/postgres.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { generous } from "../support/service.ts";
import { runCli } from "../support/cli.ts";
import { addStandby, askServer, type Standby, startStandby } from "../support/standby.ts";

let folder: string;
let url: string;
let primary: { url: string; dataDirectory: string; port: number };
let env: Record<string, string>;
let stopPostgres: () => Promise<void>;
let startAsStandby: () => Promise<Standby>;
let standby: Standby | null = null;
let server: AppProcess;
let worker: AppProcess;
let ada: Person;
beforeAll(async () => {
  folder = await createDataFolder();
  const [postgresPort = 0, port = 0] = await findFreePorts(2);
  const dataDirectory = join(folder, "data");
  await fillData(dataDirectory);
  const postgres = await startPostgres({ dataDirectory, port: postgresPort });
  ({ url } = postgres);
  stopPostgres = postgres.stop;
  primary = { url, dataDirectory, port: postgresPort };
  startAsStandby = () => startStandby(primary);
  env = { DATABASE_URL: url, RPC_URL: "http://127.0.0.1:1", PORT: String(port), ...generous };
  server = await spawnApp("server", env);
  worker = await spawnApp("worker", env);
  await Promise.all([server.ready("listening"), worker.ready("taking jobs")]);
  ada = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: "http://127.0.0.1:1" });
  await (await ada.signIn()).signUp();
});
afterAll(async () => {
  for (const app of [server, worker]) {
    app.kill("SIGKILL");
    await app.exited;
  }
  await standby?.stop();
  await stopPostgres();
  await rm(folder, { recursive: true, force: true });
});

const ask = <T extends Record<string, unknown>>(question: string): Promise<T[]> => askServer<T>(url, question);

/** The worker's resources: its announcement, and connections of the queue. */
async function countHeld(): Promise<{ announcements: number; connections: number }> {
  const [row] = await ask<{ announcements: number; connections: number }>(`
    select count(*) filter (where application_name like 'cardkeep-liveness:%')::int as announcements,
      count(*) filter (where application_name like 'cardkeep-queue:%')::int as connections from pg_stat_activity`);
  return row ?? { announcements: 0, connections: 0 };
}

const accepted: string[] = [];
/** Adds a sign-in wallet; returns status and Retry-After, and remembers successful answers. */
async function write(): Promise<string> {
  const address = privateKeyToAddress(generatePrivateKey());
  const { status, headers } = await ada.call("POST", "/eoa-accounts", { address });
  if (status === 201) accepted.push(address);
  return `${status} ${headers.get("retry-after") ?? "-"}`;
}

const readReadiness = async (): Promise<{
  code: number;
  database: { status: string; reason?: string };
  worker: { status: string };
}> => {
  const response = await fetch(`${ada.service.url}/readyz`);
  const { parts } = await response.json();
  return { code: response.status, database: parts.database, worker: parts.worker };
};

/** The standbys that a commit waits for. */
async function setNames(names: string): Promise<void> {
  await ask(`alter system set synchronous_standby_names = '${names}'`);
  await ask("select pg_reload_conf()");
}

const countAttempts = () => worker.output().split("the queue is not reachable").length - 1;

/** Everything works again: writes succeed, the worker is announced once, and no acknowledged write is lost. */
async function expectWell(): Promise<void> {
  await until(async () => (await write()) === "201 -");
  await until(async () => (await countHeld()).announcements === 1);
  await until(async () => (await readReadiness()).worker.status === "ok");
  expect((await countHeld()).connections).toBeLessThanOrEqual(20);
  const stored = new Set(
    (await ask<{ address: string }>("select address from sign_in_wallets")).map((row) => row.address),
  );
  expect(accepted.filter((address) => !stored.has(address))).toEqual([]);
}

test("while a node is in recovery, server and worker refuse it and leak no connection; after its promotion they use it", async () => {
  expect(await write()).toBe("201 -");
  await stopPostgres();
  const standby = await startAsStandby();
  stopPostgres = standby.stop;
  // Random pauses of 0.25, 0.5, 1 and 1.5 s on average.
  await until(() => countAttempts() >= 4);
  expect(await countHeld()).toEqual({ announcements: 0, connections: 0 });
  expect(await write()).toBe("503 5");
  expect(await readReadiness()).toMatchObject({
    code: 503,
    database: { status: "down", reason: "The database's node is in recovery: wait until it is promoted" },
  });
  await standby.promote();
  await expectWell();
  expect(countAttempts()).toBeLessThan(20);
}, 60_000);

test("a read-only database is 503 with Retry-After and named by /readyz; afterwards all recovers without help", async () => {
  const setReadOnly = async (value: "on" | "off") => {
    await ask(`alter system set default_transaction_read_only = ${value}`);
    await ask("select pg_reload_conf()");
  };
  await setReadOnly("on");
  await until(async () => (await write()) === "503 5");
  const { code, database } = await readReadiness();
  expect(code).toBe(503);
  expect(database).toEqual({
    status: "down",
    reason: "The database is read-only: see its disk, and default_transaction_read_only",
  });
  await setReadOnly("off");
  await expectWell();
}, 60_000);

test("standbys that are all asynchronous are a warning of /readyz and doctor, and a synchronous one ends it", async () => {
  const [port = 0] = await findFreePorts(1);
  standby = await addStandby(primary, { name: "second", dataDirectory: join(folder, "second"), port });
  const reason =
    "The database's standby is asynchronous: a failover loses the last answered requests. Set synchronous_mode in Patroni, or synchronous_standby_names";
  expect(await readReadiness()).toMatchObject({ code: 200, database: { status: "degraded", reason } });
  const { checks } = JSON.parse((await runCli(env, "doctor", "--json")).out);
  expect(checks).toContainEqual({ check: "database", severity: "warning", text: reason });
  await setNames("second");
  await until(async () => (await readReadiness()).database.status === "ok");
});

test("a role that may not see the standbys is warned of asynchronous ones too", async () => {
  await ask("create role plain login in role pg_read_all_data");
  const plain = openDatabase({
    url: url.replace("cardkeep@", "plain@"),
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    applicationName: "plain",
  });
  await until(async () => (await readReplication(plain.db)).isSynchronous);
  const seen = await readReplication(plain.db);
  await setNames("");
  await until(async () => !(await readReplication(plain.db)).isSynchronous);
  const unseen = await readReplication(plain.db);
  await setNames("second");
  await plain.close();
  expect(seen).toEqual({ standbys: 1, synchronousStandbys: null, isSynchronous: true });
  expect(unseen).toEqual({ standbys: 1, synchronousStandbys: null, isSynchronous: false });
});

test("while the synchronous standby hangs, every answer comes within ten seconds, and no answered write is lost", async () => {
  const receiver = await standby?.findReceiver();
  process.kill(receiver ?? 0, "SIGSTOP");
  const startedAt = performance.now();
  // More than the server has connections: the rest waits for one.
  const nonces = Array.from({ length: 30 }, () => ada.call("GET", "/auth/nonce"));
  const answered = Promise.all([write(), ...nonces.map(async (nonce) => `${(await nonce).status} 5`)]).then(
    (answers) => ({ answers, seconds: (performance.now() - startedAt) / 1_000 }),
  );
  await until(async () => (await readReadiness()).database.status === "down");
  // Each asks the database before its call: for the token, or for the page's domain.
  const askedAt = performance.now();
  const headers = { Authorization: `Bearer ${ada.token}` };
  const fromPage = { ...headers, Origin: "https://app.example.org" };
  const { url: serverUrl } = ada.service;
  const early = await Promise.all([
    fetch(`${serverUrl}/trpc/users.terms`, { headers }),
    fetch(`${serverUrl}/api/v1/user/terms`, { headers: fromPage }),
    fetch(`${serverUrl}/api/v1/user/terms`, { method: "OPTIONS", headers: fromPage }),
  ]);
  expect(early.map(({ status }) => status)).toEqual([503, 503, 204]);
  expect((performance.now() - askedAt) / 1_000).toBeLessThan(11);
  const { answers, seconds } = await answered;
  expect([...new Set(answers)]).toEqual(["503 5"]);
  expect(seconds).toBeLessThan(11);
  process.kill(receiver ?? 0, "SIGCONT");
  await expectWell();
}, 60_000);

test("without its only synchronous standby the database is down for /readyz, until the standby is back or no longer named", async () => {
  await standby?.stop();
  const reason =
    "Commits wait for a synchronous standby and none is connected: start it, or see synchronous_standby_names";
  await until(async () => Bun.deepEquals((await readReadiness()).database, { status: "down", reason }));
  await setNames("");
  await expectWell();
}, 60_000);
