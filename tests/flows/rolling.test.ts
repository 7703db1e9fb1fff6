import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { connect } from "node:net";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";

const inFlight = 100;
const exitMsMax = 10_000;

let service: Service;
let node: RpcProxy;
let ada: Person;
const started: AppProcess[] = [];
beforeAll(async () => {
  service = await startService();
  node = startRpcProxy(service.rpcUrl);
  ada = new Person(service);
  await ada.becomeAccountHolder();
});
afterAll(async () => {
  for (const process of started) process.kill("SIGKILL");
  await Promise.all(started.map(({ exited }) => exited));
  node.stop();
  await service.stop();
});

async function startServer(at?: number): Promise<{ process: AppProcess; port: number; ada: Person }> {
  const [free = 0] = await findFreePorts(1);
  const port = at ?? free;
  const process = await spawnApp("server", { ...service.env, RPC_URL: node.url, PORT: String(port) });
  started.push(process);
  await process.ready("listening");
  const url = `http://127.0.0.1:${port}`;
  return { process, port, ada: Object.assign(new Person({ ...service, url }), { token: ada.token }) };
}

/** Each such request causes one unshared read of the node. */
const ownersPath = `/owners/add/transaction-data?newOwner=0x${"be".repeat(20)}`;

/** Idle keep-alive connections after one request; each resolves when it is closed. */
const keepIdle = (port: number, count: number): Promise<void>[] =>
  Array.from({ length: count }, () => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket.on("data", () => {});
    return new Promise((resolve) => socket.on("close", () => resolve()));
  });

describe("a rolling restart", () => {
  test("on SIGTERM a server answers its open requests, closes idle connections and exits with 0, while the other serves", async () => {
    const [leaving, staying] = await Promise.all([startServer(), startServer()]);
    const idle = keepIdle(leaving.port, 20);
    node.mood = { lateMs: 200 };
    const before = node.calls;
    const asked = Array.from({ length: inFlight }, () => leaving.ada.call("GET", ownersPath));
    await until(() => node.calls >= before + inFlight);
    const stoppedAt = performance.now();
    leaving.process.kill("SIGTERM");
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(inFlight);
    node.mood = "fine";
    expect(await leaving.process.exited).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(exitMsMax);
    await Promise.all(idle);
    expect(leaving.process.output()).not.toContain('"level":50');
    expect((await staying.ada.call("GET", "/account-balances")).status).toBe(200);
    // The new one takes its place, on its port.
    const next = await startServer(leaving.port);
    expect((await next.ada.call("GET", "/user")).status).toBe(200);
  });

  test("an old program on a newer database continues, and logs that at its start", async () => {
    const { db } = service.runtime;
    await db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.now() + 1e9})`,
    );
    const older = await startServer();
    const worker = await spawnApp("worker", service.env);
    started.push(worker);
    await worker.ready("taking jobs");
    for (const { output } of [older.process, worker])
      expect(output()).toContain("The database is newer than this program: put the newer program into service");
    expect((await older.ada.call("GET", "/user")).status).toBe(200);
    await db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'later'`);
  });
});
