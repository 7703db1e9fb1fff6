/** Hands evidence on to the issuer, and submits a dispute as soon as it has what its reason needs. */
import {
  type EvidenceFile,
  evidenceFiles,
  type EvidenceSlot,
  listMissingEvidence,
} from "@cardkeep/contract/disputeEvidence";
import { type DisputeReason, disputeReasons } from "@cardkeep/contract/disputes";
import { clearHandedEvidence, type EvidenceRow, listEvidence } from "@cardkeep/db/queries/spending/disputeEvidence";
import { type CardDispute, findDispute } from "@cardkeep/db/queries/spending/disputes";
import { findPaymentByThread, listClearings } from "@cardkeep/db/queries/spending/payments";
import { hasEndedHere } from "@cardkeep/db/schema/spending/disputes";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { DisputeReport, EvidenceText } from "@cardkeep/providers/issuer/disputes";
import type { WorkerContext } from "../context.ts";
import { readEvidenceText } from "./evidenceText.ts";

/** The explanation of a dispute whose user gave none. */
export const describeReason = (reason: DisputeReason): string => disputeReasons[reason];

const extensions: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "image/jpeg": "jpg",
  "image/png": "png",
};

const isFile = (slot: EvidenceSlot): slot is EvidenceFile => evidenceFiles.some((file) => file === slot);

/**
 * Hands on what the issuer lacks, and submits the dispute if nothing is missing or an operator wants it. Answers what the issuer has then.
 *
 * Evidence that the issuer refuses waits for another one: the dispute stays as it is, and an operator sees its last day.
 */
export async function handEvidence(
  ctx: WorkerContext,
  dispute: CardDispute,
  report: DisputeReport,
  isForced: boolean,
): Promise<DisputeReport> {
  try {
    const evidence = await listEvidence(ctx.db, dispute.paymentId);
    await handOn(ctx, dispute, report, evidence);
    if (!isForced && listMissingEvidence(dispute.reason, evidence).length > 0) return report;
    // An operator may have withdrawn it since it was read. One withdrawn after this line becomes a case.
    const fresh = await findDispute(ctx.db, dispute.id);
    if (!fresh || hasEndedHere(fresh)) return report;
    return await ctx.issuer.submitDispute(report.issuerDisputeId);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ disputeId: dispute.id, err: error }, "the issuer refused the evidence of a dispute");
    return (await ctx.issuer.findDispute(report.issuerDisputeId)) ?? report;
  }
}

async function handOn(
  ctx: WorkerContext,
  dispute: CardDispute,
  { issuerDisputeId, reason }: DisputeReport,
  evidence: readonly EvidenceRow[],
): Promise<void> {
  const waiting = evidence.flatMap((row) => (row.sealed === null ? [] : [{ ...row, sealed: row.sealed }]));
  if (waiting.length === 0) return;
  let text: EvidenceText = {};
  const files: Partial<Record<EvidenceFile, string>> = {};
  for (const { slot, sealed, mediaType } of waiting) {
    const opened = await ctx.secrets.unseal(dispute.userId, sealed);
    if (!isFile(slot)) text = await readText(ctx, dispute, opened);
    else {
      const type = mediaType ?? "application/pdf";
      const name = `${slot}.${extensions[type] ?? "pdf"}`;
      files[slot] = await ctx.issuer.uploadEvidence({ bytes: Buffer.from(opened, "base64"), mediaType: type, name });
    }
  }
  await ctx.issuer.updateEvidence(issuerDisputeId, reason, { text, files });
  await ctx.commit(async ({ tx, now }) => {
    for (const row of waiting)
      await clearHandedEvidence(tx, row, {
        handedAt: now,
        issuerFileId: isFile(row.slot) ? (files[row.slot] ?? null) : null,
      });
  });
}

/** The text as the issuer takes it: another payment of the user is named by its first capture. */
async function readText(ctx: WorkerContext, { userId }: CardDispute, opened: string): Promise<EvidenceText> {
  const { originalThreadId, ...text } = readEvidenceText(opened);
  const original = originalThreadId === undefined ? null : await findPaymentByThread(ctx.db, originalThreadId);
  const [capture] = original?.userId === userId ? await listClearings(ctx.db, original, "capture") : [];
  return { ...text, ...(capture && { originalTransactionId: capture.id }) };
}
