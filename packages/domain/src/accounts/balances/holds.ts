/** Holds: money of a Safe that approved spends and open withdrawals reserve. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { OpenDelay } from "@cardkeep/db/queries/accounts/delays/submissionFacts";
import type { Hold } from "@cardkeep/db/queries/spending/liveTransfers";
import { sumOf } from "../../core/money.ts";

export const hashesOf = (holds: readonly Hold[]): Hex[] => holds.flatMap(({ messageHash }) => messageHash ?? []);

/** Those of the holds that had not run when the chain was asked about them, in their order. */
export const leaveOutRun = (holds: readonly Hold[], hasRun: readonly boolean[]): Hold[] =>
  holds.filter((_, index) => hasRun[index] !== true);

/** Sum of holds in base units; one listed twice counts once. */
export const sumHolds = (holds: readonly Hold[]): bigint =>
  sumOf([...new Map(holds.map((hold) => [hold.id, hold.amount])).values()]);

/** Sum of the holds that had not run when the chain was read, and of those planned since. */
export function sumHeld(before: readonly Hold[], hasRun: readonly boolean[], now: readonly Hold[]): bigint {
  const known = new Set(before.map(({ id }) => id));
  return sumHolds([...leaveOutRun(before, hasRun), ...now.filter(({ id }) => !known.has(id))]);
}

/** Sum of the open withdrawals of one token, in its base units; a row listed twice counts once. */
export function sumWithdrawals(open: readonly OpenDelay[], token: Address): bigint {
  const rows = new Map(open.map((row) => [row.id, row]));
  return [...rows.values()]
    .filter((row) => row.kind === "withdrawal" && row.tokenAddress === token)
    .reduce((sum, row) => sum + (row.amount ?? 0n), 0n);
}
