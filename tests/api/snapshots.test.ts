/** Requests share reads of accounts, and a read is never older than its request. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

const paths = ["/account-balances", "/safe/config", "/accounts/daily-limit", "/owners"];

let service: Service;
let proxy: RpcProxy;
let server: AppProcess;
let node: ReturnType<typeof openNode>;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  service = await startService();
  node = openNode(service.rpcUrl);
  proxy = startRpcProxy(service.rpcUrl);
  const [port = 0] = await findFreePorts(1);
  // A process of its own, as in production: the requests of this process would delay its reads.
  server = await spawnApp("server", { ...service.env, RPC_URL: proxy.url, PORT: String(port) });
  await server.ready("listening");
  const place = { url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl };
  [ada, bob] = [new Person(place), new Person(place)];
  await Promise.all([ada, bob].map((person) => person.becomeAccountHolder({ country: "DE" })));
});
afterAll(async () => {
  server.kill("SIGTERM");
  await server.exited;
  proxy.stop();
  await service.stop();
});

const read = (person: Person) => async (path: string) => (await person.call("GET", path)).body;
const totalOf = async (person: Person): Promise<string> => (await read(person)("/account-balances")).total;
const give = async (person: Person, amount: string) => {
  const address = (await read(person)("/safe/config")).address;
  const { status } = await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount });
  expect(status).toBe(200);
};

test("200 reads, 100 in parallel, of one account's balances, configuration, limit and owners ask the node once per block", async () => {
  const alone = await Promise.all(paths.map(read(ada)));
  const [callsBefore, before, startedMs] = [proxy.countOf("eth_call"), await node.client.getBlockNumber(), Date.now()];
  const headsBefore = proxy.countOf("eth_getBlockByNumber");
  // Bun sends 256 requests at once, with the proxy's among them.
  const answers = [];
  for (let round = 0; round < 2; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 25 }, () => Promise.all(paths.map(read(ada)))))));
  }
  const blocks = Number((await node.client.getBlockNumber()) - before) + 1;
  expect(proxy.countOf("eth_call") - callsBefore).toBeLessThanOrEqual(blocks);
  const headsMax = Math.ceil((Date.now() - startedMs) / 50) + 1;
  expect(proxy.countOf("eth_getBlockByNumber") - headsBefore).toBeLessThanOrEqual(headsMax);
  for (const [balances, config, , owners] of filled(answers)) {
    expect([balances, owners]).toEqual([alone[0], alone[3]]);
    expect(config.accountStatus).toBe(0);
  }
}, 30_000);

test("the next answer after a transaction contains its change, despite parallel reads", async () => {
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) await totalOf(ada);
    }),
  );
  let expected = BigInt(await totalOf(ada));
  for (let count = 0; count < 5; count++) {
    await give(ada, "7");
    expected += 7n;
    expect(await totalOf(ada)).toBe(String(expected));
  }
  isOver = true;
  await load;
}, 30_000);

test("a dropped block is not remembered after the next block", async () => {
  const total = await totalOf(ada);
  const id = await node.client.snapshot();
  await give(ada, "5");
  expect(await totalOf(ada)).toBe(String(BigInt(total) + 5n));
  await node.client.revert({ id });
  // Another block of this height and parent may take its place at once.
  await until(async () => (await totalOf(ada)) === total);
});

test("a block is not remembered after another block of the same height, parent and second replaced it", async () => {
  const { client } = node;
  await client.setIntervalMining({ interval: 0 });
  await client.setAutomine(true);
  try {
    const total = await totalOf(ada);
    const id = await client.snapshot();
    await give(ada, "5");
    expect(await totalOf(ada)).toBe(String(BigInt(total) + 5n));
    const dropped = await client.getBlock();
    await client.revert({ id });
    await client.setNextBlockTimestamp({ timestamp: dropped.timestamp });
    await client.mine({ blocks: 1 });
    const { number, parentHash, timestamp, hash } = await client.getBlock();
    expect({ number, parentHash, timestamp }).toEqual({
      number: dropped.number,
      parentHash: dropped.parentHash,
      timestamp: dropped.timestamp,
    });
    expect(hash).not.toBe(dropped.hash);
    expect(await totalOf(ada)).toBe(total);
  } finally {
    await client.setIntervalMining({ interval: 1 });
  }
});

test("accounts that are read in parallel are not mixed up, and while the node is away all requests are 503", async () => {
  await give(bob, "1000");
  const totals = await Promise.all(Array.from({ length: 40 }, (_, index) => totalOf(index % 2 ? ada : bob)));
  expect(new Set(totals.filter((_, index) => index % 2 === 0))).toEqual(new Set([await totalOf(bob)]));
  expect(new Set(totals.filter((_, index) => index % 2 === 1))).toEqual(new Set([await totalOf(ada)]));
  proxy.mood = "refuse";
  const refused = await Promise.all(Array.from({ length: 20 }, () => ada.call("GET", "/account-balances")));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  proxy.mood = "fine";
  expect((await ada.call("GET", "/account-balances")).status).toBe(200);
});
