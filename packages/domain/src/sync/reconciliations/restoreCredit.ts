import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { setCredit } from "@cardkeep/db/queries/spending/disputes";
import { type CardPayment, findPayment, type PaymentKey } from "@cardkeep/db/queries/spending/payments";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { Clearing, ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";
import { atLeastZero, baseUnitsToCents, centsToBaseUnits, least } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";
import { sumKind } from "../../spending/payments/clearingSums.ts";
import { chainTargetOf, sumReturned, sumTransfers } from "../../spending/payments/debtAmounts.ts";

/**
 * Keeps as a credit what a payment's returns on chain come to and the issuer's report does not explain: a dispute returned it, by the
 * law or by the network's decision, and its row is lost. Otherwise the money would be taken from the person again.
 *
 * An operator gets a case: a dispute that the issuer has is adopted by itself, and any other one has to be begun anew. So it is where
 * the report does not show whether the hold was released before the capture; then there is no credit.
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
  const missing = chainTargetOf(payment, transfers) - sumTransfers(transfers);
  const findLost = (standingCents: bigint): bigint => {
    const asked = centsToBaseUnits(sumAsked(payment, report, standingCents), token);
    return atLeastZero(least(missing, sumReturned(transfers) - (asked - payment.target + payment.credit)));
  };
  const standingCents = payment.authorizedCents - payment.reversedCents;
  const lost = findLost(standingCents);
  if (lost === 0n) return;
  const credit = findLost(least(standingCents, report.authorization?.amountCents ?? standingCents));
  if (credit > 0n) await setCredit(work.tx, payment, payment.credit + credit);
  await openCase(work, {
    kind: "unauthorized_payment",
    userId: payment.userId,
    paymentId: payment.id,
    amountCents: baseUnitsToCents(lost, token),
    currency: payment.billingCurrency,
    note: credit > 0n ? keptNote : doubtfulNote,
  });
}

const keptNote =
  "The database went back. The chain shows that this money of the payment was returned for a dispute whose row is lost; it stays with " +
  "the person. See whether `cardkeep disputes list` has the dispute again. If not, begin it by `cardkeep payments dispute`.";
const doubtfulNote =
  "The database went back. The chain shows that this money of the payment was returned: either the merchant gave it up and captured it " +
  "later, or it was for a dispute whose row is lost. It is taken again. If there was a dispute, begin it by `cardkeep payments dispute`.";

/**
 * Cents that the issuer ever asked for at most. What is less now was refunded, reversed, or released before a late capture.
 *
 * @param standingCents what was held when the first capture came
 */
function sumAsked(
  { authorizedCents, holdEndedAt, expiredAt }: CardPayment,
  { authorization, clearings }: ThreadReport,
  standingCents: bigint,
): bigint {
  const captured = sumKind(clearings, "capture");
  const isReleased =
    holdEndedAt !== null || expiredAt !== null || ["reversed", "expired"].includes(authorization?.status ?? "");
  // Only the first capture takes what is held: it releases the rest, which later ones ask for again.
  const held = isReleased ? 0n : least(standingCents, findFirstCapture(clearings));
  return authorizedCents + captured - held + sumKind(clearings, "refund_reversal");
}

/** Cents of the first capture. Of those at one instant it is the least. */
const findFirstCapture = (clearings: readonly Clearing[]): bigint =>
  clearings
    .filter(({ kind }) => kind === "capture")
    .toSorted((a, b) => a.postedAt.getTime() - b.postedAt.getTime() || Number(a.amountCents - b.amountCents))
    .at(0)?.amountCents ?? 0n;
