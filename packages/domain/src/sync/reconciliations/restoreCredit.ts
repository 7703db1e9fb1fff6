import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { setCredit } from "@cardkeep/db/queries/spending/disputes";
import { type CardPayment, findPayment, type PaymentKey } from "@cardkeep/db/queries/spending/payments";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";
import { baseUnitsToCents, centsToBaseUnits } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";
import { sumKind } from "../../spending/payments/clearingSums.ts";
import { atLeastZero, greatest, least } from "../../spending/payments/compareAmounts.ts";
import { chainTargetOf, sumReturned, sumTransfers } from "../../spending/payments/debtAmounts.ts";

/**
 * Keeps as a credit what a payment's returns on chain come to and the issuer's report does not explain: a dispute returned it, by the
 * law or by the network's decision, and its row is lost. Otherwise the money would be taken from the person again.
 *
 * An operator gets a case: a dispute that the issuer has is adopted by itself, and any other one has to be begun anew.
 */
export async function restoreCredit(
  work: Work,
  safe: CurrencySafe,
  key: PaymentKey,
  report: ThreadReport,
): Promise<void> {
  const payment = await findPayment(work.tx, key);
  if (!payment) return;
  const token = tokens[safe.tokenSymbol];
  const transfers = await listTransfers(work.tx, payment.userId, [payment.id]);
  const explained = centsToBaseUnits(sumAsked(payment, report), token) - payment.target + payment.credit;
  const missing = chainTargetOf(payment, transfers) - sumTransfers(transfers);
  const lost = atLeastZero(least(missing, sumReturned(transfers) - explained));
  if (lost === 0n) return;
  await setCredit(work.tx, payment, payment.credit + lost);
  await openCase(work, {
    kind: "unauthorized_payment",
    userId: payment.userId,
    paymentId: payment.id,
    amountCents: baseUnitsToCents(lost, token),
    currency: payment.billingCurrency,
    note:
      "The database went back. The chain shows that this money of the payment was returned for a dispute whose row is lost; it stays with " +
      "the person. See whether `cardkeep disputes list` has the dispute again. If not, begin it by `cardkeep payments dispute`.",
  });
}

/** Cents that the issuer ever asked for at most. What is less now was refunded, reversed, or released before a late capture. */
function sumAsked(
  { authorizedCents, holdEndedAt, expiredAt }: CardPayment,
  { authorization, clearings }: ThreadReport,
): bigint {
  const captured = sumKind(clearings, "capture");
  const isReleased =
    holdEndedAt !== null || expiredAt !== null || ["reversed", "expired"].includes(authorization?.status ?? "");
  const asked = isReleased ? authorizedCents + captured : greatest(authorizedCents, captured);
  return asked + sumKind(clearings, "refund_reversal");
}
