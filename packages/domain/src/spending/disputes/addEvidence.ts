/** Evidence of the user: sealed here until the issuer has it, then deleted. */
import type { EvidenceFile } from "@cardkeep/contract/spending/disputeEvidence";
import { fileBytesMax } from "@cardkeep/contract/spending/disputeRoutes";
import { fail } from "@cardkeep/contract/core/errors";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { putEvidence, sumSealedFiles } from "@cardkeep/db/queries/spending/disputeEvidence";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import { findPaymentDispute } from "@cardkeep/db/queries/spending/paymentParts";
import { type CardPayment, findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { draftDisputeStatuses } from "@cardkeep/db/schema/spending/disputes";
import type { Commit, UserContext, Work } from "../../core/context.ts";
import { parseFile } from "./parseFile.ts";
import { requireDisputable } from "./beginDispute.ts";
import type { StoredText } from "./evidenceText.ts";
import { getOwnPayment } from "./getOwnPayment.ts";
import { addText } from "./addText.ts";
import { readEvidence } from "./readEvidence.ts";

/** Bytes of a person's files that wait for a dispute; ten of the largest files. */
const waitingBytesMax = 10 * fileBytesMax;

type EvidenceState = Awaited<ReturnType<typeof readEvidence>>;

/**
 * Adds fields to the text of a dispute; given ones replace earlier ones. A worker hands them on.
 *
 * @throws transactions.not_found, transactions.declined, transactions.no_money, transactions.evidence_closed
 */
export async function addEvidence(
  ctx: UserContext,
  { threadId, ...given }: { threadId: string } & { [F in keyof StoredText]?: StoredText[F] | undefined },
): Promise<Commit<EvidenceState>> {
  const payment = await getOwnPayment(ctx, threadId);
  const { originalThreadId } = given;
  if (originalThreadId !== undefined) await getOwnPayment(ctx, originalThreadId);
  return async (work) => {
    const dispute = await requireOpen(work, payment);
    await addText(ctx, work, { paymentId: payment.id, userId: payment.userId, given });
    return conclude(work, payment, dispute);
  };
}

/**
 * Adds a file to a dispute, in place of an earlier one of its meaning. A worker hands it on.
 *
 * @throws transactions.not_found, transactions.declined, transactions.no_money, transactions.invalid_file,
 *   transactions.evidence_closed, transactions.evidence_full
 */
export async function addEvidenceFile(
  ctx: UserContext,
  { threadId, slot, file }: { threadId: string; slot: EvidenceFile; file: string },
): Promise<Commit<EvidenceState>> {
  const payment = await getOwnPayment(ctx, threadId);
  const { mediaType, size } = parseFile(file);
  return async (work) => {
    const dispute = await requireOpen(work, payment);
    const { id: paymentId, userId } = payment;
    // A dispute hands its files to the issuer by its last day, and must not lose one.
    if (!dispute && (await sumSealedFiles(work.tx, { userId, paymentId, slot })) + size > waitingBytesMax)
      fail("transactions.evidence_full");
    const sealed = await ctx.secrets.seal(userId, file);
    await putEvidence(work.tx, { paymentId, slot, userId, sealed, fields: [], mediaType, size, createdAt: work.now });
    return conclude(work, payment, dispute);
  };
}

/** The dispute of a payment, if it has one, while evidence may be added. */
async function requireOpen({ tx }: Work, { safeId, threadId }: CardPayment): Promise<CardDispute | null> {
  await lockSafe(tx, safeId);
  const payment = await findPaymentByThread(tx, threadId);
  const dispute = payment && (await findPaymentDispute(tx, payment.id));
  if (dispute && !draftDisputeStatuses.includes(dispute.status)) fail("transactions.evidence_closed");
  if (!dispute) await requireDisputable(tx, payment);
  return dispute;
}

/** Has a worker hand the evidence on, and answers what there is. */
async function conclude(
  { tx, requestId }: Work,
  { id: paymentId }: CardPayment,
  dispute: CardDispute | null,
): Promise<EvidenceState> {
  if (dispute) await enqueue(tx, "card.dispute", { disputeId: dispute.id, requestId });
  return readEvidence(tx, paymentId, dispute?.reason ?? null);
}
