import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { decodeEventLog, decodeFunctionData, encodeEventTopics, encodeFunctionData } from "viem";
import { rolesAbi } from "./abis.ts";
import type { Call } from "./call.ts";
import { spendingAllowanceKey } from "./deployments.ts";
import type { ChainLog, LogTopics } from "./log.ts";

/** An allowance as the Roles module stores it: amounts in the token's base units, times in seconds, `timestamp` since 1970. */
export interface Allowance {
  balance: bigint;
  refill: bigint;
  maxRefill: bigint;
  periodSeconds: bigint;
  timestamp: bigint;
}

/** The largest words in which the contract calculates: times, and amounts. What exceeds them reverts. */
const timeMax = 2n ** 64n - 1n;
const amountMax = 2n ** 128n - 1n;

/**
 * The spendable amount at `now` (unix seconds of the chain), in base units: the stored balance plus the refills due
 * since. It is 0 where the contract's arithmetic overflows, because every spend reverts then.
 *
 * Refills stop at `maxRefill`; a balance above it stays unchanged. Source: Roles v2, `AllowanceTracker`.
 */
export function accrueAllowance(allowance: Allowance, now: number): bigint {
  const { balance, refill, maxRefill, periodSeconds, timestamp } = allowance;
  if (periodSeconds === 0n) return balance;
  if (timestamp + periodSeconds > timeMax) return 0n;
  const periods = countPeriods(allowance, now);
  if (periods === 0n || balance >= maxRefill) return balance;
  const accrued = balance + refill * periods;
  if (accrued > amountMax) return 0n;
  return accrued < maxRefill ? accrued : maxRefill;
}

function countPeriods({ periodSeconds, timestamp }: Allowance, now: number): bigint {
  const elapsed = BigInt(now) - timestamp;
  return elapsed > 0n ? elapsed / periodSeconds : 0n;
}

/** The unix second of the next refill after `now`; null without refills, and where none is ever due. */
export function nextRefillAt(allowance: Allowance, now: number): bigint | null {
  const { refill, periodSeconds, timestamp } = allowance;
  if (periodSeconds === 0n || refill === 0n || timestamp + periodSeconds > timeMax) return null;
  return timestamp + (countPeriods(allowance, now) + 1n) * periodSeconds;
}

/**
 * The call by which a Safe sets its limit: `refill` base units each period, counted from `startsAt` (unix seconds).
 *
 * The balance becomes a full `refill`, so spends of the running period no longer count. A `startsAt` of 0 means the
 * block's own time.
 */
export function buildSetAllowance(input: {
  bouncer: Address;
  refill: bigint;
  periodSeconds: number | bigint;
  startsAt: number | bigint;
}): Call {
  const { refill } = input;
  const [period, timestamp] = [BigInt(input.periodSeconds), BigInt(input.startsAt)];
  const args = [spendingAllowanceKey, refill, refill, refill, period, timestamp] as const;
  return {
    to: input.bouncer,
    value: 0n,
    data: encodeFunctionData({ abi: rolesAbi, functionName: "setAllowance", args }),
  };
}

/** The base units per period that a call of `buildSetAllowance` sets; null for any other call. */
export function parseRefill(data: Hex): bigint | null {
  try {
    const decoded = decodeFunctionData({ abi: rolesAbi, data });
    return decoded.functionName === "setAllowance" ? decoded.args[3] : null;
  } catch {
    return null;
  }
}

/** Topics of a Roles module's log about a changed allowance. */
export const allowanceSetTopics: LogTopics = encodeEventTopics({ abi: rolesAbi, eventName: "SetAllowance" });

/**
 * The refill before a transaction set another one, in base units; null if the logs do not show it.
 * @param logs the logs of a Roles module with `allowanceSetTopics`, in the chain's order
 */
export function findReplacedRefill(
  logs: readonly ChainLog[],
  change: { transactionHash: Hex; refill: bigint },
): bigint | null {
  const changes = logs.flatMap((log) => {
    const refill = parseRefillLog(log);
    return refill === null ? [] : [{ refill, transactionHash: log.transactionHash }];
  });
  const index = changes.findIndex(
    ({ transactionHash, refill }) => transactionHash === change.transactionHash && refill === change.refill,
  );
  return changes[index - 1]?.refill ?? null;
}

/** The refill in a log, if the log concerns the card's allowance. */
function parseRefillLog({ topics, data }: ChainLog): bigint | null {
  const [signature, ...rest] = topics;
  if (!signature) return null;
  try {
    const { args } = decodeEventLog({ abi: rolesAbi, data, topics: [signature, ...rest] });
    return args.allowanceKey === spendingAllowanceKey ? args.refill : null;
  } catch {
    return null;
  }
}
