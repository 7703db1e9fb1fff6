import { tokens } from "@cardkeep/chain/tokens";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { openCase } from "../../core/openCase.ts";
import type { Work } from "../../core/context.ts";
import { least } from "./compareAmounts.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { formatCents } from "./formatMoney.ts";

/**
 * Opens a case for what was captured beyond an authorization and did not leave the Safe, of any size: forced captures,
 * and those of verifications and of authorizations that had ended, come in any number.
 *
 * The service disputes nothing by itself. An empty Safe is no reason of a card network, and a payment has one dispute.
 */
export async function openDebtCase(
  work: Work,
  { id: paymentId, userId, safeId, excessCents, billingCurrency: currency }: CardPayment,
  owed: bigint,
): Promise<void> {
  const symbol = (await findSafe(work.tx, safeId))?.tokenSymbol;
  if (!symbol) throw new Error("A debt is in a Safe without a currency");
  const unit = centsToBaseUnits(1n, tokens[symbol]);
  const amountCents = least((owed + unit - 1n) / unit, excessCents);
  await openCase(work, {
    kind: "unpaid_capture",
    userId,
    paymentId,
    amountCents,
    currency,
    note:
      `The merchant captured more than was approved, and ${formatCents(amountCents, currency)} of it did not leave the account. ` +
      "The user owes it, and the worker collects it from later deposits. Ask the user. Dispute the capture only for a " +
      "reason of the card network, such as a capture without a valid authorization.",
  });
}
