/** Takes a dispute further: made at the issuer, its evidence handed on, submitted, and then what the issuer reports. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { disputeDaysMax } from "@cardkeep/contract/spending/disputes";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import {
  type CardDispute,
  findDispute,
  lockDispute,
  moveDispute,
  updateDispute,
} from "@cardkeep/db/queries/spending/disputes";
import { listEvidenceInfo } from "@cardkeep/db/queries/spending/disputeEvidence";
import {
  type CardClearing,
  type CardPayment,
  findPayment,
  listClearings,
} from "@cardkeep/db/queries/spending/payments";
import { hasEndedHere } from "@cardkeep/db/schema/spending/disputes";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { DisputeReport } from "@cardkeep/providers/issuer/disputes";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { decideCredit } from "./decideCredit.ts";
import { describeReason, findIssuerReason, sendEvidence } from "./sendEvidence.ts";
import { findNextLook } from "./nextLook.ts";
import { publishDispute } from "./publishDispute.ts";
import { settleDispute } from "./settleDispute.ts";

/** Each step is written before the next one: a job that dies goes on where it was, and makes no second dispute. */
export async function advanceDispute(
  ctx: WorkerContext,
  { disputeId, isForced = false }: { disputeId: string; isForced?: boolean },
): Promise<void> {
  const known = await findDispute(ctx.db, disputeId);
  if (!known) return;
  const payment = await findPayment(ctx.db, { id: known.paymentId, userId: known.userId });
  if (payment) await requireTransfers(ctx, () => payment.threadId);
  // The money of an unauthorized payment is returned also where the network takes no dispute.
  const begun = payment ? await decideCredit(ctx, known, payment) : known;
  if (hasEndedHere(begun) && begun.issuerDisputeId === null) return;
  const dispute = begun.issuerDisputeId === null ? await makeDispute(ctx, begun, payment) : begun;
  if (!dispute?.issuerDisputeId) return;
  const report = await ctx.issuer.findDispute(dispute.issuerDisputeId);
  if (!report) return ctx.log.error({ disputeId }, "the issuer does not know a dispute of its own");
  const isDraft = report.status === "unsubmitted" && !hasEndedHere(dispute);
  const last = isDraft && payment ? await sendEvidence(ctx, { dispute, payment, report, isForced }) : report;
  await settleDispute(ctx, dispute, last);
}

/** Makes a dispute at the issuer once there is a capture; null while there is none, and when it ended here. */
async function makeDispute(
  ctx: WorkerContext,
  dispute: CardDispute,
  payment: CardPayment | null,
): Promise<CardDispute | null> {
  const capture = await findCapture(ctx, dispute);
  if (!capture || !payment) return waitForCapture(ctx, dispute, payment);
  try {
    const report =
      (await ctx.issuer.findTransactionDispute(capture.id)) ?? (await createDispute(ctx, dispute, capture, payment));
    return await recordMade(ctx, dispute, capture, report);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ disputeId: dispute.id, err: error }, "the issuer refused a dispute");
    await endHere(ctx, dispute, "refused");
    return null;
  }
}

/** The capture that is disputed: the chosen one, or the last one. */
async function findCapture(ctx: WorkerContext, { paymentId: id, userId, claimId }: CardDispute) {
  const captures = await listClearings(ctx.db, { id, userId }, "capture");
  return (claimId === null ? null : captures.find((capture) => capture.id === claimId)) ?? captures.at(-1) ?? null;
}

const createDispute = async (
  ctx: WorkerContext,
  dispute: CardDispute,
  capture: CardClearing,
  payment: CardPayment,
): Promise<DisputeReport> =>
  ctx.issuer.createDispute({
    transactionId: capture.id,
    reason: findIssuerReason(ctx, { dispute, payment, capture, evidence: await listEvidenceInfo(ctx.db, payment.id) }),
    explanation: describeReason(dispute.reason),
    amountCents: dispute.amountCents,
    reference: dispute.id,
  });

async function recordMade(
  ctx: WorkerContext,
  { id, paymentId, userId }: CardDispute,
  capture: CardClearing,
  { issuerDisputeId, amountCents }: DisputeReport,
): Promise<CardDispute | null> {
  const submitBy = new Date(capture.postedAt.getTime() + disputeDaysMax * dayMs);
  return ctx.commit(async (work) => {
    const { tx, now } = work;
    const fresh = await lockDispute(tx, id);
    if (!fresh) return null;
    const made = { claimId: capture.id, issuerDisputeId, amountCents, submitBy, updatedAt: now };
    const nextAt = findNextLook({ status: "created", closedAt: null, submitBy }, now);
    const moved = await moveDispute(tx, id, "created", { ...made, nextAt, closedAt: null });
    // Withdrawn meanwhile: what the issuer has is not submitted, and expires there.
    if (!moved) return updateDispute(tx, id, made);
    const payment = await findPayment(tx, { id: paymentId, userId });
    if (payment) await publishDispute(work, moved, payment);
    return moved;
  });
}

/** Where a payment without a capture has ended. A cleared one of that kind is a verification of 0. */
const over: readonly string[] = ["REVERSED", "EXPIRED", "DECLINED", "CREDITED", "CLEARED"];

/** Nothing can be disputed before a capture. A dispute whose payment ended without one ends too; a late capture revives it. */
async function waitForCapture(ctx: WorkerContext, dispute: CardDispute, payment: CardPayment | null): Promise<null> {
  if (dispute.status === "requested" && (!payment || over.includes(payment.status)))
    await endHere(ctx, dispute, "expired");
  else await ctx.commit(({ tx, now }) => updateDispute(tx, dispute.id, { nextAt: findNextLook(dispute, now) }));
  return null;
}

/** Ends a dispute that the issuer does not have. */
async function endHere(ctx: WorkerContext, dispute: CardDispute, to: "refused" | "expired"): Promise<void> {
  await ctx.commit(async (work) => {
    const { tx, now } = work;
    const payment = await findPayment(tx, { id: dispute.paymentId, userId: dispute.userId });
    if (payment) await lockSafe(tx, payment.safeId);
    const fresh = await lockDispute(tx, dispute.id);
    if (fresh?.version !== dispute.version) return;
    const ended = await moveDispute(tx, dispute.id, to, { closedAt: now, nextAt: null, updatedAt: now });
    if (ended && payment) await publishDispute(work, ended, payment);
  });
}
