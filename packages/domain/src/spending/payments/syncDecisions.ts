import { nameIssuerReason } from "@cardkeep/contract/spending/declineWords";
import { type CardDecision, insertDecisionIfNew, listDecisions } from "@cardkeep/db/queries/spending/decisions";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";

/** An answer that the issuer has not recorded after so long was not taken. */
const answerMsMax = 10 * 60_000;

/**
 * Our decisions about the thread that count; those that the issuer made without us get their rows. While an approval counts
 * that the issuer has not recorded, the issuer is asked again once it does not count any more.
 */
export async function syncDecisions(
  work: Work,
  payment: CardPayment,
  { authorization }: ThreadReport,
): Promise<CardDecision[]> {
  const { tx, now } = work;
  const known = await listDecisions(tx, payment);
  const requests = authorization?.requests ?? [];
  for (const [ordinal, request] of requests.entries()) {
    if (known.some((decision) => decision.ordinal === ordinal)) continue;
    const { isApproved, amountCents, feeCents, cashbackCents, reason } = request;
    await insertDecisionIfNew(tx, {
      paymentId: payment.id,
      ordinal,
      userId: payment.userId,
      askedCents: amountCents,
      approvedCents: isApproved ? amountCents : 0n,
      feeCents,
      cashbackCents,
      isApproved,
      reason: isApproved ? "approved" : reason === null ? "declined" : nameIssuerReason(reason),
      isByIssuer: true,
      createdAt: now,
    });
  }
  const isRecorded = ({ ordinal }: CardDecision) => ordinal < requests.length;
  const counted = known.filter((decision) => isRecorded(decision) || isAwaited(work, decision));
  const awaited = counted.find((decision) => decision.isApproved && !isRecorded(decision));
  if (awaited) await settleAfterAnswer(work, payment, awaited);
  return counted;
}

const isAwaited = ({ now }: Pick<Work, "now">, { createdAt }: CardDecision): boolean =>
  now.getTime() - createdAt.getTime() < answerMsMax;

/** Has the issuer asked about a thread when an answer of ours that it has not recorded was not taken. An earlier job stays. */
export async function settleAfterAnswer(
  { tx, now, requestId }: Pick<Work, "tx" | "now" | "requestId">,
  { threadId }: Pick<CardPayment, "threadId">,
  { createdAt }: Pick<CardDecision, "createdAt">,
): Promise<void> {
  const delayMs = createdAt.getTime() + answerMsMax - now.getTime();
  await enqueueIfNone(tx, "card.settle", { threadId, requestId }, delayMs);
}
