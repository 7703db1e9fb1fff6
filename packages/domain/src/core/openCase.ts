import type { CardCaseKind } from "@cardkeep/contract/spending/cardCases";
import { type CardCase, upsertCase } from "@cardkeep/db/queries/spending/cases";
import type { Work } from "./context.ts";
import { generateId } from "./generateId.ts";

type SubjectKey = "paymentId" | "disputeId" | "threadId" | "orderId" | "ibanOrderId" | "mintId";
/** None of the subjects but some. */
type Without<K extends SubjectKey> = Partial<Record<Exclude<SubjectKey, K>, never>>;

/**
 * What a case is about; the dispute is its subject, or else the payment, a thread that is not booked, a card order, an IBAN order, a
 * mint, or the person.
 */
type CaseSubject =
  | ({ isOfPerson: true } & Without<never>)
  | ({ paymentId: string; disputeId?: string } & Without<"paymentId" | "disputeId">)
  | ({ paymentId?: string; disputeId: string } & Without<"paymentId" | "disputeId">)
  | ({ threadId: string } & Without<"threadId">)
  | ({ orderId: string } & Without<"orderId">)
  | ({ ibanOrderId: string } & Without<"ibanOrderId">)
  | ({ mintId: string } & Without<"mintId">);

export type NewCase = CaseSubject & {
  kind: CardCaseKind;
  userId: string;
  /** What is at stake, in minor units of `currency`. */
  amountCents: bigint;
  /** ISO 4217. */
  currency: string;
  /** What happened and what to do, as sentences for the operator, without personal data. */
  note: string;
  /** Whether what it is about is not as it was: a known case then takes the amount, also a lower one, and is open. */
  isChanged?: boolean;
  /** What the person said. */
  words?: string;
  dueAt?: Date;
};

/**
 * Opens a case in the caller's commit, once for each kind and subject, so that it may be repeated. A greater amount, or
 * what `isChanged`, is written to the case, which is open again if it was closed.
 *
 * Returns the case where it was written, null where it was known.
 */
export async function openCase(
  { tx, now, requestId }: Pick<Work, "tx" | "now" | "requestId">,
  { paymentId, disputeId, threadId, orderId, ibanOrderId, mintId, ...input }: NewCase,
): Promise<CardCase | null> {
  const { kind, userId, amountCents, currency, note } = input;
  const row: CardCase = {
    kind,
    userId,
    amountCents,
    currency,
    note,
    id: generateId(),
    subjectId: disputeId ?? paymentId ?? threadId ?? orderId ?? ibanOrderId ?? mintId ?? userId,
    paymentId: paymentId ?? null,
    disputeId: disputeId ?? null,
    threadId: threadId ?? null,
    orderId: orderId ?? null,
    ibanOrderId: ibanOrderId ?? null,
    mintId: mintId ?? null,
    words: input.words ?? null,
    dueAt: input.dueAt ?? null,
    status: "OPEN",
    requestId,
    createdAt: now,
    closedAt: null,
    closedBy: null,
    closeReason: null,
  };
  return upsertCase(tx, row, input.isChanged ?? false);
}
