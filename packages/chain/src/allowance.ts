import type { Address } from "@cardkeep/contract/primitives";
import { encodeFunctionData } from "viem";
import { rolesAbi } from "./abis.ts";
import type { Call } from "./call.ts";
import { spendingAllowanceKey } from "./deployments.ts";

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
 * What may be spent at `now` (unix seconds of the chain), in base units: the stored balance with the refills due since.
 *
 * Refills stop at `maxRefill`, and a balance above it stays as it is. Source: Roles v2, `AllowanceTracker`.
 */
export function accrueAllowance(allowance: Allowance, now: number): bigint {
  const { balance, refill, maxRefill, periodSeconds } = allowance;
  if (periodSeconds === 0 || balance >= maxRefill) return balance;
  const accrued = balance + refill * countPeriods(allowance, now);
  return accrued < maxRefill ? accrued : maxRefill;
}

/** The unix second of the next refill after `now`; null when nothing is ever refilled. */
export function nextRefillAt(allowance: Allowance, now: number): number | null {
  const { refill, periodSeconds, timestamp } = allowance;
  if (periodSeconds === 0 || refill === 0n) return null;
  return timestamp + (Number(countPeriods(allowance, now)) + 1) * periodSeconds;
}

/**
 * The call by which a Safe sets its limit: `refill` base units each period, counted from `startsAt` (unix seconds).
 *
 * The balance becomes a full `refill`, so what was spent in the running period is forgotten. A `startsAt` of 0 means
 * the block's own time.
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
