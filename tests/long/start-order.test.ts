/** Processes that start before their database, its migrations and their node. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { migrate } from "@cardkeep/db/migrate";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { startTestChain } from "../support/chain.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type SqlProxy, startSqlProxy } from "../support/sqlProxy.ts";

let database: TestDatabase;
let chain: Awaited<ReturnType<typeof startTestChain>>;
let node: RpcProxy;
let proxy: SqlProxy | null = null;
let databasePort = 0;
let env: Record<string, string>;
let serverUrl: string;
let workerUrl: string;
let server: AppProcess;
let worker: AppProcess;
beforeAll(async () => {
  [database, chain] = await Promise.all([createEmptyDatabase(), startTestChain()]);
  node = startRpcProxy(chain.rpcUrl);
  node.mood = "refuse";
  const [free = 0, port = 0, workerPort = 0] = await findFreePorts(3);
  databasePort = free;
  const url = new URL(database.url);
  url.port = String(databasePort);
  env = { DATABASE_URL: url.href, RPC_URL: node.url, CONTRACT_CODE: chain.contractCode };
  serverUrl = `http://127.0.0.1:${port}`;
  workerUrl = `http://127.0.0.1:${workerPort}`;
  server = await spawnApp("server", { ...env, PORT: String(port) });
  worker = await spawnApp("worker", { ...env, WORKER_PORT: String(workerPort) });
});
afterAll(async () => {
  for (const app of [server, worker]) {
    app.kill("SIGKILL");
    await app.exited;
  }
  await proxy?.stop();
  node.stop();
  await Promise.all([database.drop(), chain.stop()]);
});

interface Readiness {
  code: number;
  parts: Record<string, { status: string; reason?: string }>;
}
const read = async (url: string): Promise<Readiness> => {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, parts: (await response.json()).parts };
};

test("without a database, server and worker live, are not ready, and say why; SIGTERM ends a waiting worker with 0", async () => {
  const waits = "The database does not answer or refuses writes. The worker waits";
  await Promise.all([server.ready("listening"), worker.ready(waits)]);
  for (const url of [serverUrl, workerUrl]) expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect(await read(serverUrl)).toMatchObject({
    code: 503,
    parts: { database: { status: "down", reason: "The database does not answer" } },
  });
  expect(await read(workerUrl)).toMatchObject({
    code: 503,
    parts: { worker: { status: "down", reason: "The database does not answer or refuses writes" } },
  });
  const other = await spawnApp("worker", env);
  await other.ready("The worker waits");
  other.kill("SIGTERM");
  expect(await other.exited).toBe(0);
});

test("on a database without migrations they wait and name the command", async () => {
  proxy = await startSqlProxy(database.url, { port: databasePort });
  await until(async () => (await read(workerUrl)).parts["worker"]?.reason?.includes("bun run migrate") === true);
  await worker.ready("The database is older than this program: run `bun run migrate`. The worker waits");
  const { code, parts } = await read(serverUrl);
  expect([code, parts["migrations"]?.status]).toEqual([503, "down"]);
});

test("after the migration they become ready by themselves, while the node is away", async () => {
  await migrate(database.url);
  await worker.ready("taking jobs");
  await until(async () => (await read(workerUrl)).code === 200);
  await until(async () => (await read(serverUrl)).parts["worker"]?.status === "ok");
  const { code, parts } = await read(serverUrl);
  expect(code).toBe(200);
  expect(parts["chain"]?.status).toBe("degraded");
});

test("a node that comes later is checked then, and its part is ok", async () => {
  await Promise.all([server, worker].map((app) => app.ready("were not checked. Trying again")));
  node.mood = "fine";
  await Promise.all([server, worker].map((app) => app.ready("The contracts and the spender were checked")));
  await until(async () => (await read(serverUrl)).parts["chain"]?.status === "ok");
});
