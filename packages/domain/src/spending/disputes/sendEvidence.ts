/** Sends evidence to the issuer, and submits a dispute with the person's words, for an operator, or on its last day. */
import {
  type EvidenceFile,
  evidenceFiles,
  type EvidenceSlot,
  isNotReceived,
  type KnownEvidence,
  listMissingEvidence,
} from "@cardkeep/contract/spending/disputeEvidence";
import { type DisputeReason, disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import {
  clearHandedEvidence,
  type EvidenceInfo,
  findEvidence,
  listEvidenceInfo,
} from "@cardkeep/db/queries/spending/disputeEvidence";
import { type CardDispute, findDispute } from "@cardkeep/db/queries/spending/disputes";
import {
  type CardClearing,
  type CardPayment,
  findPaymentByThread,
  listClearings,
} from "@cardkeep/db/queries/spending/payments";
import { hasEndedHere } from "@cardkeep/db/schema/spending/disputes";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { DisputeReport, EvidenceText, IssuerDisputeReason } from "@cardkeep/providers/issuer/disputes";
import type { WorkerContext } from "../../core/context.ts";
import { createGate } from "../../core/gate.ts";
import { deriveIssuerReason, isToBeSubmitted, isUnauthorized } from "./deriveDispute.ts";
import { readEvidenceText } from "./evidenceText.ts";

/** The explanation of a dispute whose user gave none. */
export const describeReason = (reason: DisputeReason): string => disputeReasons[reason];

const extensions: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "image/jpeg": "jpg",
  "image/png": "png",
};

const isFile = (slot: EvidenceSlot): slot is EvidenceFile => evidenceFiles.some((file) => file === slot);

interface Drafted {
  dispute: CardDispute;
  payment: CardPayment;
  report: DisputeReport;
  isForced: boolean;
}

/**
 * Hands the evidence on and submits the dispute, once it is to be submitted. Answers what the issuer has then.
 *
 * Until then the evidence stays here, because it decides the issuer's reason. Evidence that the issuer refuses waits for
 * another one: the dispute stays as it is, and an operator sees its last day.
 */
export async function sendEvidence(ctx: WorkerContext, drafted: Drafted): Promise<DisputeReport> {
  const { dispute, report, isForced } = drafted;
  try {
    const evidence = await listEvidenceInfo(ctx.db, dispute.paymentId);
    const missing = listMissingEvidence(dispute.reason, evidence);
    const isOwn = isMadeHere(dispute, report);
    // Who made a dispute at the issuer explained it there.
    const isComplete = missing.every((piece) => !isOwn && piece === "explanation");
    const { submitBy } = dispute;
    const given = {
      isForced: isForced || (!isOwn && isComplete),
      isComplete,
      submitBy,
      now: await ctx.clock.now(ctx.db),
    };
    if (!isToBeSubmitted(ctx.policy, given)) return report;
    await handOn(ctx, drafted, evidence);
    // An operator may have withdrawn it since it was read. One withdrawn after this line becomes a case.
    const fresh = await findDispute(ctx.db, dispute.id);
    if (!fresh || hasEndedHere(fresh)) return report;
    return await ctx.issuer.submitDispute(report.issuerDisputeId);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    const present = (await ctx.issuer.findDispute(report.issuerDisputeId)) ?? report;
    // Another job may have submitted it meanwhile.
    if (present.status === "unsubmitted")
      ctx.log.warn({ disputeId: dispute.id, err: error }, "the issuer refused the evidence of a dispute");
    return present;
  }
}

const isMadeHere = ({ id }: CardDispute, { reference }: DisputeReport): boolean => reference === id;

/** The issuer's reason for a dispute of ours. */
export function findIssuerReason(
  { policy }: Pick<WorkerContext, "policy">,
  {
    dispute: { reason },
    payment,
    capture,
    evidence,
  }: { dispute: CardDispute; payment: CardPayment; capture: CardClearing; evidence: readonly KnownEvidence[] },
): IssuerDisputeReason {
  return deriveIssuerReason(reason, {
    isNotReceived: isNotReceived(reason, evidence),
    isUnauthorized: isUnauthorized(payment, capture, policy),
  });
}

/** A piece of evidence that was read, by its content. */
interface Piece<S extends EvidenceSlot> {
  paymentId: string;
  slot: S;
  sealedTag: string;
}

type Uploaded = Piece<EvidenceFile> & { issuerFileId: string };

async function handOn(
  ctx: WorkerContext,
  { dispute, payment, report }: Drafted,
  evidence: readonly EvidenceInfo[],
): Promise<void> {
  const captures = await listClearings(ctx.db, { id: payment.id, userId: payment.userId }, "capture");
  const capture = captures.find(({ id }) => id === dispute.claimId);
  const reason =
    capture && isMadeHere(dispute, report)
      ? findIssuerReason(ctx, { dispute, payment, capture, evidence })
      : report.reason;
  const waiting = evidence.filter(({ handedAt }) => handedAt === null).map(({ slot }) => slot);
  if (waiting.length === 0 && reason === report.reason) return;
  const files = waiting.filter(isFile);
  const uploaded = files.length === 0 ? [] : await uploads.take(() => uploadFiles(ctx, dispute, files));
  const given = waiting.includes("text") ? await openText(ctx, dispute) : null;
  // Another reason has a text of its own at the issuer, so far without an explanation.
  const first = reason === report.reason ? {} : { explanation: describeReason(dispute.reason) };
  const ids: Partial<Record<EvidenceFile, string>> = {};
  for (const { slot, issuerFileId } of uploaded) ids[slot] = issuerFileId;
  const text: EvidenceText = { ...first, ...given?.text };
  await ctx.issuer.updateEvidence(report.issuerDisputeId, reason, { text, files: ids });
  await ctx.commit(async ({ tx, now: handedAt }) => {
    if (given) await clearHandedEvidence(tx, given.piece, { handedAt, issuerFileId: null });
    for (const piece of uploaded) await clearHandedEvidence(tx, piece, { handedAt, issuerFileId: piece.issuerFileId });
  });
}

/** Disputes upload in turn, so that a worker has one file in memory. Few wait for it: other jobs need the worker's slots. */
const uploads = createGate({ pauseMs: 0, waitingMax: 3 });

/** Uploads one file after the other. @throws ProviderRefused for a file that the issuer does not take */
async function uploadFiles(
  ctx: WorkerContext,
  dispute: CardDispute,
  slots: readonly EvidenceFile[],
): Promise<Uploaded[]> {
  const uploaded: Uploaded[] = [];
  for (const slot of slots) {
    const read = await openPiece(ctx, dispute, slot);
    if (read === null) continue;
    const mediaType = read.mediaType ?? "application/pdf";
    const name = `${slot}.${extensions[mediaType] ?? "pdf"}`;
    const bytes = Buffer.from(read.opened, "base64");
    uploaded.push({ ...read.piece, issuerFileId: await ctx.issuer.uploadEvidence({ bytes, mediaType, name }) });
  }
  return uploaded;
}

async function openText(ctx: WorkerContext, dispute: CardDispute) {
  const read = await openPiece(ctx, dispute, "text");
  return read && { piece: read.piece, text: await readText(ctx, dispute, read.opened) };
}

/** A piece of evidence with its content; null where the issuer has it already. */
async function openPiece<S extends EvidenceSlot>(ctx: WorkerContext, { paymentId, userId }: CardDispute, slot: S) {
  const row = await findEvidence(ctx.db, { paymentId, slot });
  if (row === null || row.sealed === null || row.sealedTag === null) return null;
  const piece: Piece<S> = { paymentId, slot, sealedTag: row.sealedTag };
  return { piece, mediaType: row.mediaType, opened: await ctx.secrets.unseal(userId, row.sealed) };
}

/** The text as the issuer takes it: another payment of the user is named by its first capture. */
async function readText(ctx: WorkerContext, { userId }: CardDispute, opened: string): Promise<EvidenceText> {
  const { originalThreadId, ...text } = readEvidenceText(opened);
  const original = originalThreadId === undefined ? null : await findPaymentByThread(ctx.db, originalThreadId);
  const [capture] = original?.userId === userId ? await listClearings(ctx.db, original, "capture") : [];
  return { ...text, ...(capture && { originalTransactionId: capture.id }) };
}
