import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReader } from "@cardkeep/chain/port";
import { createChainReader } from "@cardkeep/chain/reader";
import { startTestChain } from "../support/chain.ts";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";

let chain: Awaited<ReturnType<typeof startTestChain>>;
let first: RpcProxy;
let second: RpcProxy;
let reader: ChainReader;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());
afterEach(() => {
  for (const proxy of [first, second]) proxy.stop();
});

const timeoutMs = 1_000;
const open = (ms = timeoutMs) => {
  [first, second] = [startRpcProxy(chain.rpcUrl), startRpcProxy(chain.rpcUrl)];
  reader = createChainReader({ rpcUrl: `${first.url}, ${second.url}`, chainId: 100, timeoutMs: ms });
};
const head = () => openNode(chain.rpcUrl).client.getBlockNumber({ cacheTime: 0 });
const sender = "0x000000000000000000000000000000000000bEEF";

describe("of two nodes", () => {
  test("each read goes to one of them", async () => {
    open();
    for (let count = 0; count < 20; count++) await reader.getTransactionCount(sender, "latest");
    expect(first.countOf("eth_getTransactionCount") + second.countOf("eth_getTransactionCount")).toBe(20);
    // Heights are read once a second, for any number of reads.
    expect(first.countOf("eth_blockNumber")).toBeLessThan(10);
  });

  test("the one that stands still is not used once the other is ahead, and is used again after it caught up", async () => {
    open();
    const staleAt = await head();
    first.mood = { staleAt };
    await openNode(chain.rpcUrl).client.mine({ blocks: 2 });
    expect((await reader.getBlock()).number).toBeGreaterThan(staleAt);
    expect(first.countOf("eth_getBlockByNumber")).toBe(0);
    first.mood = "fine";
    await until(async () => {
      await reader.getTransactionCount(sender, "latest");
      return first.countOf("eth_getTransactionCount") > 0;
    });
  });

  test.each(["hang", "endless", "refuse", "garbage", "tooMany"] as const)(
    "one that fails (%s) is left alone, and the other answers",
    async (mood) => {
      open();
      await reader.getBlock();
      first.mood = mood;
      // An answer at all comes from the other: the first one answers no call from now on.
      await reader.getTransactionCount(sender, "latest");
      const calls = first.countOf("eth_getTransactionCount");
      expect(calls).toBeLessThan(2);
      for (let count = 0; count < 5; count++) await reader.getTransactionCount(sender, "latest");
      expect(first.countOf("eth_getTransactionCount")).toBe(calls);
    },
  );

  test("one that hangs from the start delays nothing", async () => {
    const patienceMs = 50_000;
    open(patienceMs);
    first.mood = "hang";
    const startedAt = performance.now();
    await reader.getBlock();
    // A read that had waited for the first node had waited this long.
    expect(performance.now() - startedAt).toBeLessThan(patienceMs / 2);
    expect(first.countOf("eth_getBlockByNumber")).toBe(0);
  });

  test("one of another chain is never used, however far ahead it is", async () => {
    open();
    const calls: string[] = [];
    const foreign = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const { id, method } = await request.json();
        calls.push(method);
        return Response.json({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x1" : "0xffffff" });
      },
    });
    const openMixed = () => createChainReader({ rpcUrl: `${foreign.url.href},${second.url}`, chainId: 100, timeoutMs });
    // Not even while it is the only one that answers.
    second.mood = "refuse";
    expect(
      await openMixed()
        .getBlock()
        .catch((error: unknown) => error),
    ).toBeInstanceOf(ChainUnavailable);
    expect(calls.filter((method) => method !== "eth_chainId")).toEqual([]);
    second.mood = "fine";
    const mixed = openMixed();
    await until(() =>
      mixed.getBlock().then(
        ({ number }) => number < 1_000_000n,
        () => false,
      ),
    );
    expect(calls.filter((method) => method !== "eth_chainId")).toEqual([]);
    await foreign.stop(true);
  });

  test("one that is of another chain later is not used from a minute after it named its chain", async () => {
    open();
    let chainId = "0x64";
    let asked = 0;
    const moving = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const { id, method } = await request.json();
        if (method === "eth_getTransactionCount") asked++;
        return Response.json({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? chainId : "0xffffff" });
      },
    });
    const mixed = createChainReader({ rpcUrl: `${moving.url.href},${second.url}`, chainId: 100, timeoutMs });
    const count = () => mixed.getTransactionCount(sender, "latest").catch(() => null);
    await until(async () => (await count()) === 0xff_ff_ff);
    chainId = "0x1";
    const before = asked;
    setSystemTime(new Date(Date.now() + 61_000));
    try {
      await until(async () => (await count()) === 0);
      expect(asked).toBe(before);
    } finally {
      setSystemTime();
      await moving.stop(true);
    }
  });

  test("if both are away, the error is that of one node away", async () => {
    open();
    for (const proxy of [first, second]) proxy.mood = "refuse";
    expect(await reader.getBlock().catch((error: unknown) => error)).toBeInstanceOf(ChainUnavailable);
    for (const proxy of [first, second]) proxy.mood = "fine";
    await until(async () => (await reader.getBlock().catch(() => null)) !== null);
  });

  test.each(["hang", "endless"] as const)(
    "if both stop within their answers (%s), reads end in time, and go on once one answers again",
    async (mood) => {
      open();
      for (const proxy of [first, second]) proxy.mood = mood;
      expect(await reader.getBlock().catch((error: unknown) => error)).toBeInstanceOf(ChainUnavailable);
      second.mood = "fine";
      await until(async () => (await reader.getBlock().catch(() => null)) !== null);
    },
  );

  test("a transaction is broadcast to the node that is furthest ahead", async () => {
    open();
    first.mood = { staleAt: await head() };
    await openNode(chain.rpcUrl).client.mine({ blocks: 2 });
    await reader.broadcast("0x1234").catch(() => null);
    expect([first, second].map((proxy) => proxy.countOf("eth_sendRawTransaction"))).toEqual([0, 1]);
  });
});
