/** Evidence of disputes, sealed until the issuer has it. */
import type { EvidenceSlot } from "@cardkeep/contract/spending/disputeEvidence";
import { and, asc, eq, isNotNull, ne, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { disputeEvidence } from "../../schema/tables.ts";

export type EvidenceRow = typeof disputeEvidence.$inferSelect;

/** Stores a piece of evidence in place of an earlier one of its slot. */
export async function putEvidence(tx: Tx, row: Omit<EvidenceRow, "issuerFileId" | "handedAt">): Promise<void> {
  const given = { ...row, issuerFileId: null, handedAt: null };
  await tx
    .insert(disputeEvidence)
    .values(given)
    .onConflictDoUpdate({ target: [disputeEvidence.paymentId, disputeEvidence.slot], set: given });
}

/** All evidence of a payment's dispute. */
export async function listEvidence(on: Executor, paymentId: string): Promise<EvidenceRow[]> {
  return on
    .select()
    .from(disputeEvidence)
    .where(eq(disputeEvidence.paymentId, paymentId))
    .orderBy(asc(disputeEvidence.slot));
}

type EvidenceInfo = Omit<EvidenceRow, "sealed">;

/** The same without its content. */
export async function listEvidenceInfo(on: Executor, paymentId: string): Promise<EvidenceInfo[]> {
  const { slot, userId, fields, mediaType, size, issuerFileId, createdAt, handedAt } = disputeEvidence;
  return on
    .select({
      paymentId: disputeEvidence.paymentId,
      slot,
      userId,
      fields,
      mediaType,
      size,
      issuerFileId,
      createdAt,
      handedAt,
    })
    .from(disputeEvidence)
    .where(eq(disputeEvidence.paymentId, paymentId))
    .orderBy(asc(disputeEvidence.slot));
}

/** Bytes of a user's files that the issuer does not have, without those of the payment's slot. */
export async function sumSealedFiles(
  on: Executor,
  { userId, paymentId, slot }: Pick<EvidenceRow, "userId" | "paymentId" | "slot">,
): Promise<number> {
  const isOther = or(ne(disputeEvidence.paymentId, paymentId), ne(disputeEvidence.slot, slot));
  const [row] = await on
    .select({ bytes: sql<number>`coalesce(sum(${disputeEvidence.size}), 0)::int` })
    .from(disputeEvidence)
    .where(and(eq(disputeEvidence.userId, userId), isNotNull(disputeEvidence.sealed), isOther));
  return row?.bytes ?? 0;
}

/** Deletes what the issuer has now, unless it was replaced meanwhile. */
export async function clearHandedEvidence(
  tx: Tx,
  { paymentId, slot, sealed }: { paymentId: string; slot: EvidenceSlot; sealed: string },
  { handedAt, issuerFileId }: { handedAt: Date; issuerFileId: string | null },
): Promise<void> {
  await tx
    .update(disputeEvidence)
    .set({ sealed: null, handedAt, issuerFileId })
    .where(
      and(eq(disputeEvidence.paymentId, paymentId), eq(disputeEvidence.slot, slot), eq(disputeEvidence.sealed, sealed)),
    );
}
