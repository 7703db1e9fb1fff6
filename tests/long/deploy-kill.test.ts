import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { relaySubjects, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { parseTransaction, type TransactionSerializedEIP1559 } from "viem";
import { filled } from "../support/filled.ts";
import { deployParts, type Part } from "../support/griefing.ts";
import { openNode } from "../support/node.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { reorganise } from "../support/reorganise.ts";
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

/** Kills the worker at one moment of its next transaction; resolves when it is dead. */
function killAt(moment: "before it is signed" | "before the node saw it" | "after the node took it"): Promise<void> {
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

const revive = async (settings: Record<string, string> = {}) => {
  worker = await spawnApp("worker", { ...service.env, RPC_URL: proxy.url, ...settings });
};

const twenty = (ask: () => Promise<Answer>) => Promise.all(Array.from({ length: 20 }, ask));

/** The answers with 200, one at least; all others are 503, of a slow node, or beside the two that a user may have waiting. */
function listServed(answers: readonly Answer[]) {
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  return filled(answers.filter(({ status }) => status === 200));
}

// After the node took it: four Safes below.
for (const moment of ["before it is signed", "before the node saw it"] as const) {
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
  const created = listServed(await creations);
  expect(new Set(created.map(({ body }) => body.address)).size).toBe(1);
  await until(async () => (await getSafe(bob)).status === "created");
  await bob.call("POST", "/safe/set-currency");

  const signature = await bob.signSetUp();
  const setUpKilled = killAt("after the node took it");
  const setUps = twenty(() => bob.call("PATCH", "/account/deploy-safe-modules", { signature }));
  await setUpKilled;
  expect(await progress(bob)).toBe("processing");
  await revive();
  listServed(await setUps);
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
  const griefed = new Set<number | undefined>();
  const grief = (): void => {
    if (parts.length === 0) return;
    proxy.intercept("eth_sendRawTransaction", async (forward, { params: [raw] }) => {
      // A worker on a slow machine offers a transaction again before it hears that it was mined.
      const { nonce } = parseTransaction(raw as TransactionSerializedEIP1559);
      const part = griefed.has(nonce) ? undefined : parts.shift();
      griefed.add(nonce);
      if (part) await deployParts(service, node, await getSafe(ada), [part]);
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

describe("four Safes requested while no worker runs share one transaction", () => {
  let people: Person[];
  let addresses: string[];
  beforeEach(async () => {
    worker.kill("SIGKILL");
    await worker.exited;
    people = await Promise.all(Array.from({ length: 4 }, () => new Person(service).becomeApproved()));
    for (const person of filled(people)) expect((await person.call("POST", "/safe/deploy")).status).toBe(202);
    addresses = await Promise.all(people.map(async (person) => (await getSafe(person)).address));
  });
  /** Safes with another relayer would take another lane. */
  const oneLane = () => ({ RELAYER_PRIVATE_KEYS: service.runtime.settings.relayerPrivateKeys.slice(0, 1).join(",") });
  /** Every transaction that serves a person's Safe. */
  const listServing = async (person: Person) =>
    service.runtime.db
      .select({ id: relayTransactions.id, status: relayTransactions.status, blockHash: relayTransactions.blockHash })
      .from(relaySubjects)
      .innerJoin(relayTransactions, eq(relayTransactions.id, relaySubjects.relayTransactionId))
      .where(eq(relaySubjects.subjectId, (await getSafe(person)).id))
      .orderBy(relayTransactions.createdAt);
  const expectWhole = async () => {
    const configs = await Promise.all(people.map((person) => person.call("GET", "/safe/config")));
    expect(configs.map(({ body }) => [body.address, body.accountStatus])).toEqual(
      addresses.map((address) => [address, 0]),
    );
  };

  test("kill -9 of the worker between sending and receipt, and a reorganisation: each is deployed once, by it", async () => {
    const killed = killAt("after the node took it");
    await revive(oneLane());
    await killed;
    await revive(oneLane());
    for (const person of filled(people)) expect((await watch(person)).at(-1)).toBe("ok");
    const before = await Promise.all(people.map(listServing));
    const [shared] = before[0] ?? [];
    if (!shared) throw new Error("Nothing was sent");
    expect(before).toEqual(people.map(() => [{ ...shared, status: "MINED" }]));
    await expectWhole();

    const { client } = openNode(service.rpcUrl);
    const { number } = await client.getBlock({ blockHash: shared.blockHash ?? "0x" });
    await reorganise(service, Number((await client.getBlockNumber({ cacheTime: 0 })) - number) + 2);
    await until(async () => {
      const after = (await Promise.all(people.map(listServing))).flat();
      return after.every(({ status, blockHash }) => status === "MINED" && blockHash !== shared.blockHash);
    });
    const after = await Promise.all(people.map(listServing));
    expect(after.map((serving) => serving.map(({ id }) => id))).toEqual(people.map(() => [shared.id]));
    for (const person of filled(people)) expect((await watch(person)).at(-1)).toBe("ok");
    await expectWhole();
  }, 60_000);

  test("a stranger who deploys a part of one just before it stops none of the others; that one is deployed afterwards", async () => {
    const [first, griefed, ...others] = people;
    if (!first || !griefed) throw new Error("Expected four people");
    proxy.intercept("eth_sendRawTransaction", async (forward) => {
      await deployParts(service, openNode(service.rpcUrl), await getSafe(griefed), ["delay"]);
      return forward();
    });
    await revive(oneLane());
    for (const person of filled(people)) expect((await watch(person)).at(-1)).toBe("ok");
    const [shared] = await listServing(first);
    if (!shared) throw new Error("Nothing was sent");
    for (const person of [first, ...others])
      expect(await listServing(person)).toEqual([{ ...shared, status: "MINED" }]);
    expect((await listServing(griefed)).map(({ id }) => id === shared.id)).toEqual([true, false]);
    await expectWhole();
  }, 60_000);
});
