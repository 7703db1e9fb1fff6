/** What logs say about a Safe's Delay module: the entries of its queue, and the calls that it ran. All pure. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { decodeEventLog, encodeEventTopics, isAddressEqual } from "viem";
import { delayAbi, safeAbi } from "./abis.ts";
import { type Call, findOperation, type OperationType } from "./call.ts";
import type { ChainLog, LogTopics } from "./log.ts";

/** An enqueued call, and its log on chain. */
export interface QueueEntry extends Call {
  queueNonce: bigint;
  txHash: Hex;
  operation: OperationType;
  blockNumber: bigint;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
}

/** Topics of a Delay module's log about an enqueued call. */
export const queueTopics: LogTopics = encodeEventTopics({ abi: delayAbi, eventName: "TransactionAdded" });

/** The entry in a `TransactionAdded` log; null for any other log. */
export function parseQueueLog(log: ChainLog): QueueEntry | null {
  const event = parseDelayEvent(log);
  const operation = event?.eventName === "TransactionAdded" ? findOperation(event.args.operation) : null;
  if (event?.eventName !== "TransactionAdded" || !operation) return null;
  const { queueNonce, txHash, to, value, data } = event.args;
  const { blockNumber, blockHash, transactionHash, logIndex } = log;
  return { queueNonce, txHash, to, value, data, operation, blockNumber, blockHash, transactionHash, logIndex };
}

/**
 * The queue entry of a signed message; null if the logs do not contain it.
 *
 * The module emits `HashExecuted` with the message's hash, and then `TransactionAdded`. If two owners enqueued
 * the same message, it is the first of the two entries; this service accepts a message of one owner alone.
 */
export function findEnqueueLog(
  logs: readonly ChainLog[],
  input: { delay: Address; messageHash: Hex },
): QueueEntry | null {
  const ofDelay = logs.filter((log) => isAddressEqual(log.address, input.delay));
  for (const log of ofDelay) {
    const event = parseDelayEvent(log);
    if (event?.eventName !== "HashExecuted" || event.args.hash !== input.messageHash.toLowerCase()) continue;
    const next = ofDelay.find((other) => other.blockHash === log.blockHash && other.logIndex === log.logIndex + 1);
    const entry = next && parseQueueLog(next);
    if (entry) return entry;
  }
  return null;
}

/**
 * Entries of a call without a signed message that the logs of one transaction show, in queue order. A module that knows a
 * sender as an owner takes the signed bytes without their signature: it emits no `HashExecuted`.
 */
export function listUnsignedEntriesOf(
  logs: readonly ChainLog[],
  { delay, call, operation }: { delay: Address; call: Call; operation: OperationType },
): QueueEntry[] {
  const ofDelay = logs.filter((log) => isAddressEqual(log.address, delay));
  const hashes = new Set(
    ofDelay.filter((log) => parseDelayEvent(log)?.eventName === "HashExecuted").map(({ logIndex }) => logIndex),
  );
  return ofDelay
    .flatMap((log) => parseQueueLog(log) ?? [])
    .filter(
      (entry) =>
        // The entry of a signed message is that message's, also where another one asks for the same call.
        !hashes.has(entry.logIndex - 1) &&
        isAddressEqual(entry.to, call.to) &&
        entry.value === call.value &&
        entry.data.toLowerCase() === call.data.toLowerCase() &&
        entry.operation === operation,
    );
}

/** Whether any of the logs shows that a signer invalidated a message. */
export function hasInvalidation(
  logs: readonly ChainLog[],
  { delay, messageHash }: { delay: Address; messageHash: Hex },
): boolean {
  return logs.some((log) => {
    const event = isAddressEqual(log.address, delay) ? parseDelayEvent(log) : null;
    return event?.eventName === "HashInvalidated" && event.args.hash === messageHash.toLowerCase();
  });
}

/** A log of the Delay module as one of its events; null for an unused event. */
export function parseDelayEvent(log: ChainLog) {
  const [signature, ...rest] = log.topics;
  if (!signature) return null;
  try {
    return decodeEventLog({ abi: delayAbi, data: log.data, topics: [signature, ...rest] });
  } catch {
    return null;
  }
}

/** Topic of a Safe's log about a successful call of one of its modules. */
export const [executionSuccessTopic] = encodeEventTopics({ abi: safeAbi, eventName: "ExecutionFromModuleSuccess" });

/** Whether a log shows that a Safe ran a call of its Delay module. Only this log proves a successful execution. */
export function isExecutionSuccess(log: ChainLog, { safe, delay }: { safe: Address; delay: Address }): boolean {
  const [signature, module] = log.topics;
  return (
    isAddressEqual(log.address, safe) &&
    signature === executionSuccessTopic &&
    module?.slice(-40).toLowerCase() === delay.slice(-40).toLowerCase()
  );
}

/** Whether any of the logs shows a Safe's successful call of its Delay module. */
export function hasExecutionSuccess(logs: readonly ChainLog[], input: { safe: Address; delay: Address }): boolean {
  return logs.some((log) => isExecutionSuccess(log, input));
}
