/**
 * What the logs of a Safe prove of the transactions that it ran itself. All pure.
 *
 * GnosisSafe 1.3.0 logs each of them at its end, with the hash that it calculated at its beginning. The code that logs runs all the
 * while. So a transaction that changes the Safe's code, its nonce or its modules has its log too, behind those of all that ran
 * within it. Only after such a change may the Safe log nothing, or anything. A Safe changes nothing before its first transaction:
 * that one is logged for certain, and no log of another up to its block proves that a transaction was the first.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodeEventTopics, isAddressEqual } from "viem";
import { safeAbi } from "./abis.ts";
import { creationTopics } from "./creation.ts";
import type { ChainLog, LogTopics } from "./log.ts";
import { isSafeSuccess, safeSuccessTopics } from "./safeTransaction.ts";

const [failureTopic = "0x"] = encodeEventTopics({ abi: safeAbi, eventName: "ExecutionFailure" });
const creationTopic = getSignature(creationTopics);
const ownTopics = [getSignature(safeSuccessTopics), failureTopic];

/** Topics of a Safe's logs about its creation and its own transactions. */
export const safeHistoryTopics: LogTopics = [[creationTopic, ...ownTopics]];

export interface SafeHistory {
  /** Whether the logs begin with the creation; otherwise the node may lack others, too. */
  hasCreation: boolean;
  /** The log of the transaction that was asked for; null where it has none. */
  own: ChainLog | null;
  /** A log of another transaction, in the block of `own` at the latest; null where `own` was the first. */
  other: ChainLog | null;
}

/** Reads a Safe's logs, in the chain's order. `hash` is that of the transaction that is asked for; null for none. */
export function readSafeHistory(
  logs: readonly ChainLog[],
  { safe, hash }: { safe: Address; hash: Hex | null },
): SafeHistory {
  const history = logs.filter(({ address }) => isAddressEqual(address, safe));
  const isOwn = (log: ChainLog): boolean => hash !== null && isSafeSuccess(log, { safe, hash });
  const own = history.find(isOwn) ?? null;
  const other = history.find(
    (log) =>
      ownTopics.includes(log.topics[0] ?? "0x") && !isOwn(log) && (own === null || log.blockNumber <= own.blockNumber),
  );
  return { hasCreation: history[0]?.topics[0] === creationTopic, own, other: other ?? null };
}

/** @throws Error where it is not one */
function getSignature([signature]: LogTopics): Hex {
  if (typeof signature !== "string") throw new Error("The topics name no event");
  return signature;
}
