import type { CardCaseKind } from "@cardkeep/contract/spending/cardCases";
import { type CardCase, upsertCase } from "@cardkeep/db/queries/spending/cases";
import type { Work } from "./context.ts";
import { generateId } from "./generateId.ts";

type No<K extends string> = Partial<Record<K, never>>;

/** What a case is about; the dispute is its subject, or else the payment, a thread that is not booked, a card order, an IBAN order or a mint. */
type CaseSubject =
  | ({ paymentId: string; disputeId?: string } & No<"threadId" | "orderId" | "ibanOrderId" | "mintId">)
  | ({ paymentId?: string; disputeId: string } & No<"threadId" | "orderId" | "ibanOrderId" | "mintId">)
  | ({ threadId: string } & No<"paymentId" | "disputeId" | "orderId" | "ibanOrderId" | "mintId">)
  | ({ orderId: string } & No<"paymentId" | "disputeId" | "threadId" | "ibanOrderId" | "mintId">)
  | ({ ibanOrderId: string } & No<"paymentId" | "disputeId" | "threadId" | "orderId" | "mintId">)
  | ({ mintId: string } & No<"paymentId" | "disputeId" | "threadId" | "orderId" | "ibanOrderId">);

export type NewCase = CaseSubject & {
  kind: CardCaseKind;
  userId: string;
  /** What is at stake, in minor units of `currency`. */
  amountCents: bigint;
  /** ISO 4217. */
  currency: string;
  /** What happened and what to do, as sentences for the operator, without personal data. */
  note: string;
  dueAt?: Date;
};

/**
 * Opens a case in the caller's commit, once for each kind and subject, so that it may be repeated. A greater amount is
 * written to the case, which is open again if it was closed.
 *
 * Returns the case where it was written, null where it was known.
 */
export async function openCase(
  { tx, now, requestId }: Pick<Work, "tx" | "now" | "requestId">,
  { paymentId, disputeId, threadId, orderId, ibanOrderId, mintId, ...input }: NewCase,
): Promise<CardCase | null> {
  const subjectId = disputeId ?? paymentId ?? threadId ?? orderId ?? ibanOrderId ?? mintId;
  if (subjectId === undefined) throw new Error("A case is about a dispute, a payment, a thread or an order");
  return upsertCase(tx, {
    ...input,
    id: generateId(),
    subjectId,
    paymentId: paymentId ?? null,
    disputeId: disputeId ?? null,
    threadId: threadId ?? null,
    orderId: orderId ?? null,
    ibanOrderId: ibanOrderId ?? null,
    mintId: mintId ?? null,
    dueAt: input.dueAt ?? null,
    status: "OPEN",
    requestId,
    createdAt: now,
    closedAt: null,
    closedBy: null,
    closeReason: null,
  });
}
