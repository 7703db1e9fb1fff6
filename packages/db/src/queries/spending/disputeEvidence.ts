/** Evidence of disputes, sealed until the issuer has it. */
import { and, asc, eq, getTableColumns, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
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

type EvidenceKey = Pick<EvidenceRow, "paymentId" | "slot">;

const isAt = ({ paymentId, slot }: EvidenceKey): SQL | undefined =>
  and(eq(disputeEvidence.paymentId, paymentId), eq(disputeEvidence.slot, slot));

/** Names a content: it ends with the tag of its encryption (RFC 7516). */
const sealedTag = sql<string | null>`right(${disputeEvidence.sealed}, 22)`;

/** One piece of evidence with its content, which may be a whole file. */
export async function findEvidence(
  on: Executor,
  key: EvidenceKey,
): Promise<(EvidenceRow & { sealedTag: string | null }) | null> {
  const rows = await on
    .select({ ...getTableColumns(disputeEvidence), sealedTag })
    .from(disputeEvidence)
    .where(isAt(key));
  return rows[0] ?? null;
}

export type EvidenceInfo = Omit<EvidenceRow, "sealed">;

/** All evidence of a payment's dispute, without its content. */
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
  { sealedTag: handedTag, ...key }: EvidenceKey & { sealedTag: string },
  { handedAt, issuerFileId }: { handedAt: Date; issuerFileId: string | null },
): Promise<void> {
  await tx
    .update(disputeEvidence)
    .set({ sealed: null, handedAt, issuerFileId })
    .where(and(isAt(key), eq(sealedTag, handedTag)));
}
