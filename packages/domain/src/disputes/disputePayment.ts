import { cardStatusCodes } from "@cardkeep/contract/cards";
import { type DisputeReason, disputeReasons } from "@cardkeep/contract/disputes";
import { fail } from "@cardkeep/contract/errors";
import type { PaymentStatus } from "@cardkeep/contract/spending";
import { lockCard } from "@cardkeep/db/queries/cards/cards";
import { lockSafe } from "@cardkeep/db/queries/safes";
import { insertDispute } from "@cardkeep/db/queries/spending/disputes";
import { findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { changeStatus } from "../cards/changeStatus.ts";
import type { Commit, UserContext, Work } from "../context.ts";
import { generateId } from "../generateId.ts";
import { getOwnPayment } from "./getOwnPayment.ts";
import { publishDispute } from "./publishDispute.ts";

const fraud = "unrecognized_transaction_report_fraudulent";

/** Payments that moved no money, or returned it, cannot be disputed. */
export const disputable: readonly PaymentStatus[] = ["AUTHORIZED", "CLEARED"];

/**
 * Disputes a transaction, once; a job takes it to the issuer when it is claimed. One reported as fraud restricts its card.
 *
 * @throws transactions.not_found, transactions.already_disputed
 */
export async function disputePayment(
  ctx: UserContext,
  { threadId, disputeReason: reason }: { threadId: string; disputeReason: DisputeReason },
): Promise<Commit<{ message: string }>> {
  const found = await getOwnPayment(ctx, threadId);
  return async (work) => {
    const { tx, now, requestId } = work;
    await lockSafe(tx, found.safeId);
    const payment = await findPaymentByThread(tx, threadId);
    if (!payment || !disputable.includes(payment.status)) fail("transactions.not_found");
    const { id: paymentId, userId } = payment;
    const row = await insertDispute(tx, { id: generateId(), paymentId, userId, reason, requestId, createdAt: now });
    if (!row) fail("transactions.already_disputed");
    await enqueue(tx, "card.dispute", { disputeId: row.id, requestId });
    await publishDispute(work, row, payment);
    if (reason === fraud) await restrict(work, payment.cardId);
    return { message: "Dispute submitted for review" };
  };
}

/** Has a card decline from now on; one that has ended stays as it is. */
async function restrict(work: Work, cardId: string): Promise<void> {
  const card = await lockCard(work.tx, cardId);
  if (card) await changeStatus(work, card, cardStatusCodes.restricted);
}

/** Reasons for which a transaction may be disputed, with their labels. */
export const listDisputeReasons = async (): Promise<{ result: Record<string, string> }> => ({
  result: { ...disputeReasons },
});
