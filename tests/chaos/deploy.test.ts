import { afterAll, beforeAll, expect, test } from "bun:test";
import { relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { deployParts, type Part } from "../support/griefing.ts";
import { openNode } from "../support/node.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let proxy: RpcProxy;
let worker: AppProcess;
beforeAll(async () => {
  service = await startService({ worker: false });
  proxy = startRpcProxy(service.rpcUrl);
  worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url });
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  proxy.stop();
  await service.stop();
});

const listSafes = (person: Person) =>
  service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, person.userId ?? ""));
const getSafe = async (person: Person) => {
  const [safe, ...others] = await listSafes(person);
  expect(others).toEqual([]);
  if (!safe) throw new Error("no Safe");
  return safe;
};
const listRelayed = async (person: Person) =>
  (
    await service.runtime.db
      .select()
      .from(relayTransactions)
      .where(eq(relayTransactions.subjectId, (await getSafe(person)).id))
      .orderBy(relayTransactions.createdAt)
  ).map(({ purpose, status }) => [purpose, status]);
const progress = async (person: Person): Promise<string> => (await person.call("GET", "/safe/deploy")).body.status;

/** Waits for the end of a deployment, and returns every status on the way. */
async function watch(person: Person): Promise<string[]> {
  const reported: string[] = [];
  await until(async () => {
    const status = await progress(person);
    if (reported.at(-1) !== status) reported.push(status);
    return status === "ok" || status === "failed";
  });
  return reported;
}

const moments = ["before it is signed", "before the node saw it", "after the node took it"] as const;

/** Kills the worker at one moment of its next transaction; resolves when it is dead. */
function killAt(moment: (typeof moments)[number]): Promise<void> {
  return new Promise((resolve) => {
    const method = moment === "before it is signed" ? "eth_estimateGas" : "eth_sendRawTransaction";
    proxy.intercept(method, async (forward) => {
      if (moment.startsWith("after")) await forward();
      worker.kill("SIGKILL");
      void worker.exited.then(() => resolve());
      return null;
    });
  });
}

const revive = async () => {
  worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url });
};

const twenty = (ask: () => Promise<Answer>) => Promise.all(Array.from({ length: 20 }, ask));

for (const moment of moments) {
  test(`kill -9 of the worker ${moment}: twenty requests end in one Safe by one transaction, with true statuses`, async () => {
    const ada = await new Person(service).becomeApproved();
    const killed = killAt(moment);
    const answers = await twenty(() => ada.call("POST", "/safe/deploy"));
    expect(answers.every(({ status, body }) => status === 202 && body.status === "accepted")).toBe(true);
    await killed;
    const { address } = await getSafe(ada);
    expect(await progress(ada)).toBe("processing");
    expect((await ada.call("GET", "/safe/config")).body).toMatchObject({ isDeployed: false, address: null });
    await revive();
    expect(await watch(ada)).toEqual(["processing", "ok"]);
    expect(await listRelayed(ada)).toEqual([["safe.deploy", "MINED"]]);
    expect((await ada.call("GET", "/safe/config")).body).toMatchObject({ isDeployed: true, address, accountStatus: 0 });
  }, 60_000);
}

test("kill -9 of the worker in each step of the older way: one Safe, set up once", async () => {
  const bob = await new Person(service).becomeApproved();
  const creationKilled = killAt("before the node saw it");
  const creations = twenty(() => bob.call("POST", "/account", { chainId: "100" }));
  await creationKilled;
  await revive();
  const created = await creations;
  expect(new Set(created.map(({ body }) => body.address)).size).toBe(1);
  expect(created.every(({ status }) => status === 200)).toBe(true);
  await until(async () => (await getSafe(bob)).status === "created");
  await bob.call("POST", "/safe/set-currency");

  const signature = await bob.signSetUp();
  const setUpKilled = killAt("after the node took it");
  const setUps = twenty(() => bob.call("PATCH", "/account/deploy-safe-modules", { signature }));
  await setUpKilled;
  expect(await progress(bob)).toBe("processing");
  await revive();
  const statuses = (await setUps).map(({ status }) => status);
  // Two requests of a user wait in parallel; the others get 503.
  expect(statuses).toContain(200);
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(await watch(bob)).toEqual(expect.arrayContaining(["ok"]));
  expect(await listRelayed(bob)).toEqual([
    ["safe.create", "MINED"],
    ["safe.setUp", "MINED"],
  ]);
  const again = await bob.call("PATCH", "/account/deploy-safe-modules", { signature });
  expect(again.body).toEqual({ deployed: true, transactionHash: expect.any(String) });
  expect((await bob.call("GET", "/safe/config")).body).toMatchObject({
    address: created[0]?.body.address,
    accountStatus: 0,
  });
}, 60_000);

test("kill -9 of the server during the wait: the repeated request finds the same Safe", async () => {
  const ada = await new Person(service).becomeApproved();
  const [port = 0] = await findFreePorts(1);
  const server = await spawnApp("server", { ...service.env, PORT: String(port) });
  await server.ready("listening");
  const client = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl });
  client.token = ada.token;
  const creation = client.call("POST", "/account", { chainId: "100" }).catch(() => null);
  await until(async () => (await listSafes(ada)).length === 1);
  server.kill("SIGKILL");
  await server.exited;
  const cut = await creation;
  const { body } = await ada.call("POST", "/account", { chainId: "100" });
  expect(body).toMatchObject({ deployed: true, address: cut?.body.address ?? (await getSafe(ada)).address });
  expect(await listRelayed(ada)).toEqual([["safe.create", "MINED"]]);
}, 60_000);

test("a stranger who deploys one part before each of our transactions makes four of them fail, and not the fifth", async () => {
  const ada = await new Person(service).becomeApproved();
  const node = openNode(service.rpcUrl);
  const parts: Part[] = ["bouncer", "roles", "delay", "safe"];
  const grief = (): void => {
    const part = parts.shift();
    if (!part) return;
    proxy.intercept("eth_sendRawTransaction", async (forward) => {
      await deployParts(service, node, await getSafe(ada), [part]);
      grief();
      return forward();
    });
  };
  grief();
  await ada.call("POST", "/safe/deploy");
  const { address } = await getSafe(ada);
  const advance = setInterval(() => void ada.sandbox("POST", "/chain/advance", { seconds: 10 }), 500);
  expect(await watch(ada).finally(() => clearInterval(advance))).toEqual(["processing", "ok"]);
  expect((await listRelayed(ada)).map(([, status]) => status)).toEqual([
    "REVERTED",
    "REVERTED",
    "REVERTED",
    "REVERTED",
    "MINED",
  ]);
  expect((await ada.call("GET", "/safe/config")).body).toMatchObject({ address, accountStatus: 0 });
}, 60_000);
