/** Evidence of disputes, sealed until the issuer has it. */
import type { EvidenceSlot } from "@cardkeep/contract/spending/disputeEvidence";
import { and, asc, eq } from "drizzle-orm";
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
