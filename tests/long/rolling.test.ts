import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { Agent, get } from "node:http";
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

async function startServer(
  at?: number,
  env: Record<string, string> = {},
): Promise<{ process: AppProcess; port: number; url: string; ada: Person }> {
  const [free = 0] = await findFreePorts(1);
  const port = at ?? free;
  const process = await spawnApp("server", { ...service.env, RPC_URL: node.url, PORT: String(port), ...env });
  started.push(process);
  await process.ready("listening");
  const url = `http://127.0.0.1:${port}`;
  return { process, port, url, ada: Object.assign(new Person({ ...service, url }), { token: ada.token }) };
}

const draining = { DRAIN_SECONDS: "2" };

/**
 * Sends requests in turn to the servers whose `/readyz` was 200 last, over connections that stay open, as a proxy does. It never
 * repeats a request.
 */
function startBalancer(urls: readonly string[]) {
  const ready = urls.map(() => true);
  const failures: string[] = [];
  const agents = urls.map(() => new Agent({ keepAlive: true }));
  let [answers, turn, isStopped] = [0, 0, false];
  const check = setInterval(() => {
    for (const [index, url] of urls.entries()) {
      void fetch(`${url}/readyz`, { headers: { Connection: "close" } }).then(
        // An answer whose body is not read keeps one of the process's 256 connections until garbage is collected.
        async (response) => {
          ready[index] = response.ok;
          await response.arrayBuffer();
        },
        () => (ready[index] = false),
      );
    }
  }, 200);
  const send = (index: number, path: string, token: string) =>
    new Promise<void>((resolve) => {
      const done = (failure: string | null): void => {
        if (failure !== null) failures.push(failure);
        answers++;
        resolve();
      };
      const headers = { Authorization: `Bearer ${token}` };
      get(`${urls[index]}${path}`, { agent: agents[index], headers }, (response) => {
        response.resume();
        response.on("end", () => done(response.statusCode === 200 ? null : `${index}: ${response.statusCode}`));
        response.on("error", (error) => done(`${index}: ${error.message}`));
      }).on("error", (error) => done(`${index}: ${error.message}`));
    });
  return {
    failures,
    answers: () => answers,
    isReady: (index: number) => ready[index] === true,
    pour: async (path: string, token: string): Promise<void> => {
      while (!isStopped) {
        const up = ready.flatMap((isReady, index) => (isReady ? [index] : []));
        const index = up[turn++ % up.length];
        if (index === undefined) failures.push("no server is ready");
        else await send(index, path, token);
        // A request every few milliseconds meets each moment of a restart; more would only heat the machine.
        await Bun.sleep(5);
      }
    },
    stop: () => {
      isStopped = true;
      clearInterval(check);
    },
  };
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
    const leaving = await startServer();
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
    // The service's own server is the other one.
    expect((await ada.call("GET", "/account-balances")).status).toBe(200);
    // The new one takes its place, on its port.
    const next = await startServer(leaving.port);
    expect((await next.ada.call("GET", "/user")).status).toBe(200);
  });

  test("while a server drains, /readyz is 503 and names it, /livez is 200, and every request is answered with Connection: close; a second SIGTERM ends it at once", async () => {
    const leaving = await startServer(undefined, { DRAIN_SECONDS: "300" });
    const { ada: user, url } = leaving;
    const ask = async (path: string) => {
      const response = await fetch(url + path, { headers: { Authorization: `Bearer ${user.token}` } });
      await response.text();
      return [response.status, response.headers.get("connection")];
    };
    expect(await ask("/readyz")).toEqual([200, null]);
    const idle = connect(leaving.port, "127.0.0.1");
    let received = "";
    const closed = new Promise<void>((resolve) => idle.on("close", () => resolve()));
    idle.on("data", (data) => (received += data.toString()));
    leaving.process.kill("SIGTERM");
    await until(async () => (await ask("/readyz"))[0] === 503);
    const health = await (await fetch(`${url}/readyz`)).json();
    expect(health).toMatchObject({
      status: "down",
      parts: { database: { status: "ok" }, server: { status: "down", reason: expect.stringContaining("stops") } },
    });
    expect(await ask("/livez")).toEqual([200, "close"]);
    for (const path of ["/api/v1/user", "/trpc/users.me", "/openapi.json", "/nowhere"])
      expect((await ask(path))[1]).toBe("close");
    // A connection that was open before is closed after its answer.
    idle.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await closed;
    expect(received).toStartWith("HTTP/1.1 200 OK");
    // A second signal ends the drain and the process at once.
    const { process } = leaving;
    await until(async () => {
      process.kill("SIGTERM");
      return Promise.race([process.exited.then(() => true), Bun.sleep(50).then(() => false)]);
    });
    expect(await process.exited).toBe(143);
    await process.ready("cardkeep server: ended at once after a second signal");
  });

  test("two servers behind a balancer are replaced one after the other under load, and no request fails", async () => {
    const places = await Promise.all([startServer(undefined, draining), startServer(undefined, draining)]);
    const balancer = startBalancer(places.map(({ url }) => url));
    const load = Array.from({ length: 2 }, () => balancer.pour("/api/v1/user", ada.token ?? ""));
    await until(() => balancer.answers() > 100);
    for (const [index, { process, port }] of places.entries()) {
      process.kill("SIGTERM");
      expect(await process.exited).toBe(0);
      places[index] = await startServer(port, draining);
      await until(() => balancer.isReady(index));
    }
    const before = balancer.answers();
    await until(() => balancer.answers() > before + 100);
    balancer.stop();
    await Promise.all(load);
    expect(balancer.failures).toEqual([]);
  });

  test("an old program on a newer database continues, and logs that at its start", async () => {
    const db = service.ownerDb;
    await db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.now() + 1e9})`,
    );
    const older = await startServer();
    const worker = await spawnApp("worker", service.env);
    started.push(worker);
    await worker.ready("taking jobs");
    for (const process of [older.process, worker])
      await process.ready("The database is newer than this program: put the newer program into service");
    expect((await older.ada.call("GET", "/user")).status).toBe(200);
    await db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'later'`);
  });
});
