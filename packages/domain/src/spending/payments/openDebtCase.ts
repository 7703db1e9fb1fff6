import { tokens } from "@cardkeep/chain/tokens";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import { sumLateCaptures } from "@cardkeep/db/queries/spending/paymentExpiry";
import { type CardPayment, listClearings } from "@cardkeep/db/queries/spending/payments";
import { openCase } from "../../core/openCase.ts";
import type { Work } from "../../core/context.ts";
import { greatest, least } from "./compareAmounts.ts";
import { centsToBaseUnits } from "../../core/money.ts";
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
  const { id: paymentId, userId, safeId, excessCents, expiredAt, billingCurrency: currency } = payment;
  const lateCents = await sumLateCaptures(work.tx, payment);
  const takenBack = await listClearings(work.tx, payment, "refund_reversal");
  const takenBackCents = takenBack.reduce((sum, clearing) => sum + clearing.amountCents, 0n);
  const uncovered = greatest(greatest(excessCents, lateCents), takenBackCents);
  if (uncovered === 0n) return;
  const symbol = (await findSafe(work.tx, safeId))?.tokenSymbol;
  if (!symbol) throw new Error("A debt is in a Safe without a currency");
  const unit = centsToBaseUnits(1n, tokens[symbol]);
  const amountCents = least((owed + unit - 1n) / unit, uncovered);
  const isLate = expiredAt !== null && lateCents > 0n;
  const captured = isLate ? `after the authorization expired at ${formatInstant(expiredAt)}` : "more than was approved";
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
