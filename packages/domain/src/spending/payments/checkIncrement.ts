/** Whether an existing authorization may grow. Pure; the card, the account and the balance are checked beside it. */
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { declineFor, type Decline } from "./checkCard.ts";
import { hasFailedSpend } from "./debtAmounts.ts";

export const conflict = declineFor("thread_conflict");
export const unknownAuthorization = declineFor("authorization_unknown");
const ended = declineFor("authorization_ended");

/**
 * Null where the payment can grow: it is of this card and currency, was approved, and is still open.
 *
 * After a spend that failed, its money is collected as a debt, so nothing more is held for it.
 */
export function checkIncrement(
  payment: Pick<CardPayment, "cardId" | "safeId" | "billingCurrency" | "status">,
  transfers: readonly Pick<CardTransfer, "direction" | "amount" | "status">[],
  { cardId, safeId, currency }: Pick<CardPayment, "cardId" | "safeId"> & Pick<AuthorizationRequest, "currency">,
): Decline | null {
  if (payment.cardId !== cardId || payment.billingCurrency !== currency) return conflict;
  if (payment.status === "DECLINED") return unknownAuthorization;
  const isOpen = payment.status === "AUTHORIZED" && payment.safeId === safeId;
  return isOpen && !hasFailedSpend(transfers) ? null : ended;
}
