import { tokens } from "@cardkeep/chain/tokens";
import { secondMs } from "@cardkeep/contract/core/durations";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import { sumCapturedAfter } from "@cardkeep/db/queries/spending/paymentExpiry";
import { type CardPayment, listClearings } from "@cardkeep/db/queries/spending/payments";
import { openCase } from "../../core/openCase.ts";
import type { Work } from "../../core/context.ts";
import { centsToBaseUnits, greatest, least, sumOf } from "../../core/money.ts";
import { formatInstant } from "../../core/wording.ts";
import { formatCents } from "./formatMoney.ts";

/**
 * Opens a case for what was captured without a standing authorization, or refunded and taken back, and did not leave the Safe. It is
 * of any size: forced captures, and those of verifications and of authorizations that had ended, come in any number. So do refunds
 * that are taken back, for which the same money pays again and again. Nothing for what an authorization covers.
 *
 * The service disputes nothing by itself. An empty Safe is no reason of a card network, and a payment has one dispute.
 */
export async function openDebtCase(work: Work, payment: CardPayment, owed: bigint): Promise<void> {
  const { id: paymentId, userId, safeId, excessCents, billingCurrency: currency } = payment;
  const end = findEnd(payment);
  const lateCents = end === null ? 0n : await sumCapturedAfter(work.tx, payment, end.lastInTime);
  const takenBack = await listClearings(work.tx, payment, "refund_reversal");
  const takenBackCents = sumOf(takenBack.map(({ amountCents }) => amountCents));
  const uncovered = greatest(greatest(excessCents, lateCents), takenBackCents);
  if (uncovered === 0n) return;
  const symbol = (await findSafe(work.tx, safeId))?.tokenSymbol;
  if (!symbol) throw new Error("A debt is in a Safe without a currency");
  const unit = centsToBaseUnits(1n, tokens[symbol]);
  const amountCents = least((owed + unit - 1n) / unit, uncovered);
  const captured =
    end !== null && lateCents > 0n ? `after ${end.what} at ${formatInstant(end.at)}` : "more than was approved";
  const isCapture = greatest(excessCents, lateCents) > 0n;
  const [what, ground] = isCapture
    ? [
        `captured ${captured}`,
        "Dispute the capture only for a reason of the card network, such as a capture without a valid authorization.",
      ]
    : [
        "took a refund back",
        "Ask the card issuer whether the merchant may take it back: a refund that was owed is not to be reversed.",
      ];
  await openCase(work, {
    kind: "unpaid_capture",
    userId,
    paymentId,
    amountCents,
    currency,
    note:
      `The merchant ${what}, and ${formatCents(amountCents, currency)} of it did not leave the account. ` +
      `The user owes it, and the worker collects it from later deposits. Ask the user. ${ground}`,
  });
}

/**
 * What ended first of a payment: its authorization at the issuer, or its hold here. What is captured afterwards is late. The issuer's
 * dates are whole seconds, so one of the second in which the hold ended may be later than it.
 */
function findEnd({
  expiredAt,
  holdEndedAt,
}: Pick<CardPayment, "expiredAt" | "holdEndedAt">): { what: string; at: Date; lastInTime: Date } | null {
  if (holdEndedAt !== null && (expiredAt === null || holdEndedAt < expiredAt)) {
    const lastInTime = new Date(holdEndedAt.getTime() - (holdEndedAt.getTime() % secondMs) - 1);
    return { what: "its hold ended here", at: holdEndedAt, lastInTime };
  }
  return expiredAt && { what: "the authorization expired", at: expiredAt, lastInTime: expiredAt };
}
