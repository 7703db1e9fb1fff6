import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardClearing, type CardPayment, findPayment } from "@cardkeep/db/queries/spending/payments";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { Context, Work } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { chainTargetOf, computeMove } from "./debtAmounts.ts";
import { planTransfer } from "./planTransfer.ts";

/** Cents by which a clearing raises what shall have left the Safe. What captures and reversals change is not theirs alone. */
const changeOf = ({ kind, amountCents }: CardClearing): bigint => {
  if (kind === "refund" || kind === "capture_reversal") return -amountCents;
  return kind === "refund_reversal" ? amountCents : 0n;
};

/**
 * Plans what the new clearings of a report change. Where they come to a return, each has one of its own, so that each line of
 * the history has its transaction; otherwise one spend moves what is missing.
 *
 * @param payment with the target after all of them
 */
export async function planClearings(
  ctx: Pick<Context, "policy">,
  work: Work,
  safe: CurrencySafe,
  payment: CardPayment,
  clearings: readonly CardClearing[],
): Promise<void> {
  const { tx } = work;
  const causes = clearings.filter(({ kind }) => kind !== "capture");
  const changed = causes.filter((cause) => changeOf(cause) !== 0n);
  const unit = centsToBaseUnits(1n, tokens[safe.tokenSymbol]);
  let ahead = changed.reduce((sum, cause) => sum + changeOf(cause), 0n);
  // First what else the report changes, with the reversal of the authorization where there is one.
  const rest = causes.findLast((cause) => changeOf(cause) === 0n) ?? null;
  const steps = [rest, ...changed];
  for (const [index, cause] of steps.entries()) {
    if (cause) ahead -= changeOf(cause);
    // Debts that an earlier step was set off against are in the row.
    const fresh = index === 0 ? payment : await findPayment(tx, payment);
    if (!fresh) throw new Error(`Payment ${payment.id} has no row`);
    const step = { ...fresh, target: payment.target - ahead * unit };
    const isLast = index === steps.length - 1;
    if (!isLast) {
      const transfers = await listTransfers(tx, payment.userId, [payment.id]);
      if (computeMove(chainTargetOf(step, transfers), transfers)?.direction !== "return") continue;
    }
    await planTransfer(ctx, work, safe, step, { clearingId: cause?.id ?? null });
  }
}
