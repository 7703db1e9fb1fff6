import type { CardCaseKind } from "@cardkeep/contract/cardCases";
import { type CardCase, upsertCase } from "@cardkeep/db/queries/spending/cases";
import type { Work } from "../context.ts";
import { generateId } from "../generateId.ts";

/** What a case is about; the dispute is its subject, or else the payment, or else a thread that is not booked. */
type CaseSubject =
  | { paymentId: string; disputeId?: string; threadId?: never }
  | { paymentId?: string; disputeId: string; threadId?: never }
  | { paymentId?: never; disputeId?: never; threadId: string };

export type NewCase = CaseSubject & {
  kind: CardCaseKind;
  userId: string;
  /** What is at stake, in minor units of `currency`. */
  amountCents: bigint;
  /** ISO 4217. */
  currency: string;
  /** What happened and what to do, as sentences for the operator, without personal data. */
  note: string;
};

/**
 * Opens a case in the caller's commit, once for each kind and subject, so that it may be repeated. A greater amount is
 * written to the case, which is open again if it was closed.
 *
 * Returns the case where it was written, null where it was known.
 */
export async function openCase(
  { tx, now, requestId }: Pick<Work, "tx" | "now" | "requestId">,
  { paymentId, disputeId, threadId, ...input }: NewCase,
): Promise<CardCase | null> {
  const subjectId = disputeId ?? paymentId ?? threadId;
  if (subjectId === undefined) throw new Error("A case is about a dispute, a payment or a thread");
  return upsertCase(tx, {
    ...input,
    id: generateId(),
    subjectId,
    paymentId: paymentId ?? null,
    disputeId: disputeId ?? null,
    threadId: threadId ?? null,
    status: "OPEN",
    requestId,
    createdAt: now,
    closedAt: null,
    closedBy: null,
    closeReason: null,
  });
}
