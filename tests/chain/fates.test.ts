import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Call, OperationType } from "@cardkeep/chain/call";
import { buildDispatch, buildSkipExpired, hashQueueItem } from "@cardkeep/chain/delay";
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import { assignFates, type Fate, fateTopics, isFateLog } from "@cardkeep/chain/fates";
import { buildTransfer } from "@cardkeep/chain/tokens";
import { nativeToken } from "@cardkeep/contract/core/primitives";
import fc from "fast-check";
import { encodeFunctionData, parseAbi, parseEther } from "viem";
import { openChain, prepareAccount, signEnqueue, type TestChain } from "./support.ts";

const delayAbi = parseAbi([
  "function setTxExpiration(uint256 expiration)",
  "function setTxCooldown(uint256 cooldown)",
  "function setTxNonce(uint256 nonce)",
]);

let chain: TestChain;
beforeAll(async () => {
  chain = await openChain();
});
afterAll(() => chain.stop());

/** An account whose true fates are recorded as they happen. */
async function openAccount() {
  const { owner, addresses, deployment } = prepareAccount();
  const { safe, delay } = addresses;
  const { blockNumber } = await chain.deploy(deployment);
  await chain.node.setBalance({ address: safe, value: parseEther("1") });
  const queue: Call[] = [];
  const truth = new Map<bigint, Fate>();
  /** The newest position that was used while the queue was empty, and its block. */
  let alone = { nonce: 0n, blockNumber };
  const operation: OperationType = "CALL";
  const readNonce = async () => (await chain.reader.getDelayState(delay)).txNonce;

  /** Records as skipped all calls that left the queue without a record. */
  const noteSkipped = async () => {
    for (let nonce = (await readNonce()) - 1n; nonce >= 0n && !truth.has(nonce); nonce--) {
      truth.set(nonce, { kind: "skipped" });
    }
  };
  return {
    delay,
    queue,
    truth,
    enqueue: async (call: Call) => {
      const nonce = BigInt(queue.length);
      const isAlone = (await readNonce()) === nonce;
      const { logs, blockNumber } = await chain.send((await signEnqueue(owner, delay, call)).enqueue);
      if (isAlone) alone = { nonce, blockNumber };
      queue.push(call);
      expect(logs.map(parseQueueLog).find(Boolean)?.txHash).toBe(hashQueueItem(call, operation));
    },
    /** Runs the head if it can run. */
    dispatch: async () => {
      const nonce = await readNonce();
      const call = queue[Number(nonce)];
      if (!call) return;
      const { status, transactionHash, blockNumber, blockHash } = await chain.send(
        buildDispatch({ delay, call, operation }),
      );
      if (status === "success") truth.set(nonce, { kind: "executed", transactionHash, blockNumber, blockHash });
      await noteSkipped();
    },
    skip: async () => {
      await chain.send(buildSkipExpired(delay));
      await noteSkipped();
    },
    /** The fates derived from the chain's logs alone: all logs, or those since the queue was last empty. */
    rebuild: async (since: "ever" | "alone" = "ever") => {
      const { txNonce, ...settings } = await chain.reader.getDelayState(delay);
      const { number: toBlock, timestamp: headAt } = await chain.reader.getBlock();
      const fromBlock = since === "ever" ? blockNumber : alone.blockNumber;
      const all = await chain.reader.getLogs({ addresses: [safe, delay], topics: fateTopics, fromBlock, toBlock });
      const logs = all.filter((log) => isFateLog(log, { safe, delay }));
      const timestamps = new Map<bigint, number>();
      for (const number of new Set(logs.map((log) => log.blockNumber))) {
        timestamps.set(number, (await chain.reader.getBlockAt(number))?.timestamp ?? 0);
      }
      const known = { safe, delay, txNonce, logs, timestamps, headAt };
      return assignFates(since === "ever" ? known : { ...known, settings });
    },
    trueSinceAlone: () => new Map([...truth].filter(([nonce]) => nonce >= alone.nonce)),
  };
}

const pay = (amount: bigint): Call => buildTransfer({ token: nativeToken, to: prepareAccount().settlement, amount });

test("the logs alone show the fate of each call, through changes of settings and nonce", async () => {
  const { delay, queue, truth, enqueue, dispatch, skip, rebuild } = await openAccount();
  const set = (functionName: "setTxExpiration" | "setTxCooldown" | "setTxNonce", value: bigint): Call => ({
    to: delay,
    value: 0n,
    data: encodeFunctionData({ abi: delayAbi, functionName, args: [value] }),
  });
  await enqueue(pay(1n));
  await enqueue(pay(1n));
  await chain.advance(200);
  await dispatch();
  // The second expires; it is skipped, and the next one is executed.
  await chain.advance(1_000);
  await enqueue(pay(2n));
  await chain.advance(1_000);
  await skip();
  await dispatch();
  // Older than the expiration that it sets itself.
  await enqueue(set("setTxExpiration", 60n));
  await chain.advance(1_500);
  await dispatch();
  await enqueue(set("setTxCooldown", 10n));
  await chain.advance(190);
  await dispatch();
  // A call that cannot succeed blocks the queue until it expires.
  await enqueue(pay(parseEther("5")));
  await chain.advance(20);
  await dispatch();
  await enqueue(pay(3n));
  await chain.advance(60);
  await skip();
  await dispatch();
  // A call that skips later ones.
  await enqueue(set("setTxNonce", BigInt(queue.length) + 3n));
  await enqueue(pay(4n));
  await enqueue(pay(4n));
  await chain.advance(20);
  await dispatch();
  await enqueue(pay(5n));
  await chain.advance(20);
  await dispatch();
  await enqueue(pay(6n));

  const fates = await rebuild();
  expect(fates).toEqual(truth);
  const kinds = queue.map((_, index): string => fates.get(BigInt(index))?.kind ?? "queued");
  expect(kinds.join(" ")).toBe(
    "executed skipped executed executed executed skipped executed executed skipped skipped executed queued",
  );
});

test("the logs alone show the fate of each call, for random queues", async () => {
  const enqueues = fc.constantFrom(1n, parseEther("5")).map((amount) => ({ kind: "enqueue", amount }) as const);
  const advances = fc.constantFrom(1, 170, 400, 1_700).map((seconds) => ({ kind: "advance", seconds }) as const);
  const step = fc.oneof(
    { weight: 3, arbitrary: enqueues },
    { weight: 4, arbitrary: advances },
    { weight: 4, arbitrary: fc.constant({ kind: "dispatch" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "skip" } as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const { truth, trueSinceAlone, enqueue, dispatch, skip, rebuild } = await openAccount();
      for (const one of steps) {
        if (one.kind === "enqueue") await enqueue(pay(one.amount));
        else if (one.kind === "dispatch") await dispatch();
        else if (one.kind === "skip") await skip();
        else await chain.advance(one.seconds);
      }
      expect(await rebuild()).toEqual(truth);
      expect(await rebuild("alone")).toEqual(trueSinceAlone());
    }),
    { numRuns: 3, endOnFailure: true },
  );
});
