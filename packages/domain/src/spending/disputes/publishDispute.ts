import { tokens } from "@cardkeep/chain/tokens";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { creditedOf } from "../payments/debtAmounts.ts";

type Disputed = Pick<
  CardPayment,
  "threadId" | "billingCurrency" | "authorizedCents" | "capturedCents" | "target" | "credit"
>;

/** A dispute as the API and events show it, without its card. `unit` is a cent in base units. */
export function buildDispute(dispute: CardDispute, payment: Disputed, unit: bigint) {
  const { reason, status, lossReason, submitBy, submittedAt, closedAt, createdAt, updatedAt } = dispute;
  const captured = payment.capturedCents > 0n ? payment.capturedCents : payment.authorizedCents;
  return {
    threadId: payment.threadId,
    reason,
    status,
    amount: dispute.amountCents ?? captured,
    currency: payment.billingCurrency,
    creditedAmount: creditedOf(payment) / unit,
    lossReason,
    submitBy,
    submittedAt,
    closedAt,
    createdAt,
    updatedAt,
  };
}

/** Publishes a dispute as this commit leaves it, and has its user mailed: its state, or what became of the money. */
export async function publishDispute(
  work: Work,
  dispute: CardDispute,
  payment: Disputed & Pick<CardPayment, "safeId" | "cardId">,
  mail: "card.disputeMail" | "card.creditMail" = "card.disputeMail",
): Promise<void> {
  const { tx, requestId } = work;
  const { userId } = dispute;
  const [card, safe] = await Promise.all([findCard(tx, payment.cardId), findSafe(tx, payment.safeId)]);
  if (!card || !safe || !hasCurrency(safe)) throw new Error(`Dispute ${dispute.id} has no card or no Safe`);
  const unit = centsToBaseUnits(1n, tokens[safe.tokenSymbol]);
  const { cardToken } = card;
  const shown = buildDispute(dispute, payment, unit);
  await publish(work, "card.dispute.updated", userId, { userId, cardToken, ...shown });
  await enqueue(tx, mail, { disputeId: dispute.id, requestId });
}
