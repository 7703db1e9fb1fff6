import type { Address, Hex } from "@cardkeep/contract/primitives";
import { decodeEventLog, decodeFunctionData, encodeEventTopics, encodeFunctionData } from "viem";
import { rolesAbi } from "./abis.ts";
import type { Call } from "./call.ts";
import { spendingAllowanceKey } from "./deployments.ts";
import type { ChainLog, LogTopics } from "./log.ts";

/** An allowance as the Roles module stores it; amounts in the token's base units, `timestamp` in unix seconds. */
export interface Allowance {
  balance: bigint;
  refill: bigint;
  maxRefill: bigint;
  periodSeconds: number;
  timestamp: number;
}

const countPeriods = ({ periodSeconds, timestamp }: Allowance, now: number): bigint =>
  BigInt(Math.max(0, Math.floor((now - timestamp) / periodSeconds)));

/**
 * The spendable amount at `now` (unix seconds of the chain), in base units: the stored balance plus the refills due
 * since.
 *
 * Refills stop at `maxRefill`; a balance above it stays unchanged. Source: Roles v2, `AllowanceTracker`.
 */
export function accrueAllowance(allowance: Allowance, now: number): bigint {
  const { balance, refill, maxRefill, periodSeconds } = allowance;
  if (periodSeconds === 0 || balance >= maxRefill) return balance;
  const accrued = balance + refill * countPeriods(allowance, now);
  return accrued < maxRefill ? accrued : maxRefill;
}

/** The unix second of the next refill after `now`; null without refills. */
export function nextRefillAt(allowance: Allowance, now: number): number | null {
  const { refill, periodSeconds, timestamp } = allowance;
  if (periodSeconds === 0 || refill === 0n) return null;
  return timestamp + (Number(countPeriods(allowance, now)) + 1) * periodSeconds;
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
  periodSeconds: number;
  startsAt: number;
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
