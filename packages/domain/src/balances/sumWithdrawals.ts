/** Sums of money that open operations reserve. */
import type { Address } from "@cardkeep/contract/primitives";
import type { OpenDelay } from "@cardkeep/db/queries/delays/submissionFacts";

/** Sum of the open withdrawals of one token, in its base units; a row listed twice counts once. */
export function sumWithdrawals(open: readonly OpenDelay[], token: Address): bigint {
  const rows = new Map(open.map((row) => [row.id, row]));
  return [...rows.values()]
    .filter((row) => row.kind === "withdrawal" && row.tokenAddress === token)
    .reduce((sum, row) => sum + (row.amount ?? 0n), 0n);
}
