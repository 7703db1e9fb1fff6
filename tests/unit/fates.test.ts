import { describe, expect, test } from "bun:test";
import { delayAbi, safeAbi } from "@cardkeep/chain/abis";
import { assignFates, computeTimes, isExpired, type QueueSettings } from "@cardkeep/chain/fates";
import type { ChainLog } from "@cardkeep/chain/log";
import { encodeAbiParameters, encodeEventTopics, type Hex, numberToHex, parseAbiParameters } from "viem";

const safe = "0x1111111111111111111111111111111111111111";
const delay = "0x2222222222222222222222222222222222222222";
const stranger = "0x3333333333333333333333333333333333333333";

/** A log in a block of its own, whose number is its time in seconds. */
const logAt = (
  at: number,
  address: typeof safe | typeof delay | typeof stranger,
  topics: Hex[],
  data: Hex,
): ChainLog => ({
  address,
  topics,
  data,
  blockNumber: BigInt(at),
  blockHash: numberToHex(at, { size: 32 }),
  transactionHash: numberToHex(at, { size: 32 }),
  logIndex: 0,
});
const topicsOf = (eventName: "TransactionAdded" | "TxNonceSet", args: object) =>
  // The topics of an event whose indexed arguments are all given.
  encodeEventTopics({ abi: delayAbi, eventName, args }) as Hex[];
const added = (at: number, queueNonce: bigint) =>
  logAt(
    at,
    delay,
    topicsOf("TransactionAdded", { queueNonce, txHash: numberToHex(queueNonce, { size: 32 }) }),
    encodeAbiParameters(parseAbiParameters("address, uint256, bytes, uint8"), [stranger, 0n, "0x", 0]),
  );
const jumped = (at: number, nonce: bigint) =>
  logAt(at, delay, topicsOf("TxNonceSet", {}), encodeAbiParameters(parseAbiParameters("uint256"), [nonce]));
const executed = (at: number, address: typeof safe | typeof stranger = safe) =>
  logAt(
    at,
    address,
    encodeEventTopics({ abi: safeAbi, eventName: "ExecutionFromModuleSuccess", args: { module: delay } }) as Hex[],
    "0x",
  );

/** The fates in words, by position, as the last log's block shows them, or a later one. */
function fatesOf(logs: readonly ChainLog[], txNonce: bigint, settings: QueueSettings, headAt?: number): string[] {
  const timestamps = new Map(logs.map(({ blockNumber }) => [blockNumber, Number(blockNumber)]));
  const head = headAt ?? Math.max(...timestamps.values());
  const fates = assignFates({ safe, delay, txNonce, logs, timestamps, headAt: head, settings });
  return [...fates].toSorted(([a], [b]) => Number(a - b)).map(([nonce, { kind }]) => `${nonce} ${kind}`);
}

describe("a queued call", () => {
  test("may run from the end of the cooldown on, and until the last second before it expires", () => {
    const times = computeTimes(1_000, { cooldownSeconds: 180, expirationSeconds: 60 });
    expect(times).toEqual({ readyAt: 1_180, expiresAt: 1_240 });
    expect([isExpired(times, 1_240), isExpired(times, 1_241)]).toEqual([false, true]);
  });

  test("never expires where the queue has no expiration", () => {
    const times = computeTimes(1_000, { cooldownSeconds: 180, expirationSeconds: 0 });
    expect(times).toEqual({ readyAt: 1_180, expiresAt: null });
    expect(isExpired(times, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe("the logs show", () => {
  const settings = { cooldownSeconds: 10, expirationSeconds: 20 };

  test("an execution in the last second, and the next call's where the first has expired", () => {
    expect(fatesOf([added(100, 0n), added(101, 1n), executed(130)], 1n, settings)).toEqual(["0 executed"]);
    expect(fatesOf([added(100, 0n), added(101, 1n), executed(131)], 2n, settings)).toEqual(["0 skipped", "1 executed"]);
  });

  test("an execution long after, where the queue has no expiration", () => {
    const forever = { cooldownSeconds: 10, expirationSeconds: 0 };
    expect(fatesOf([added(100, 0n), executed(9_999)], 1n, forever)).toEqual(["0 executed"]);
  });

  test("no execution by another Safe with the same module in its log", () => {
    expect(fatesOf([added(100, 0n), executed(120, stranger)], 0n, settings)).toEqual([]);
  });

  test("no fate of a call that left the queue in a block whose logs the asked node lacks", () => {
    expect(fatesOf([added(100, 0n)], 1n, settings, 129)).toEqual([]);
    expect(fatesOf([added(100, 0n)], 1n, settings, 130)).toEqual([]);
    const forever = { cooldownSeconds: 10, expirationSeconds: 0 };
    expect(fatesOf([added(100, 0n)], 1n, forever, 9_999)).toEqual([]);
  });

  test("a call that left the queue as skipped from when it has expired on", () => {
    expect(fatesOf([added(100, 0n)], 1n, settings, 131)).toEqual(["0 skipped"]);
    expect(fatesOf([added(100, 0n)], 0n, settings, 131)).toEqual([]);
  });

  test("calls before a jump of the nonce as skipped, and the one at it as waiting", () => {
    const logs = [added(100, 0n), added(101, 1n), jumped(102, 1n)];
    expect(fatesOf(logs, 0n, settings)).toEqual(["0 skipped"]);
  });
});
