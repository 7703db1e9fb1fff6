/** What operators do with a dispute before it is submitted. */
import { fail } from "@cardkeep/contract/core/errors";
import { hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { type CardDispute, lockDispute, moveDispute } from "@cardkeep/db/queries/spending/disputes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { draftDisputeStatuses } from "@cardkeep/db/schema/spending/disputes";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { OperatorContext, WorkerContext } from "../../core/context.ts";
import { advanceDispute } from "./advanceDispute.ts";
import { getDisputeDetails } from "./listAllDisputes.ts";
import { addText } from "./addText.ts";
import { readOriginal } from "./originalPayment.ts";
import { applyCredit } from "./applyCredit.ts";
import { publishDispute } from "./publishDispute.ts";

/**
 * Has a worker submit a dispute now, also where its reason needs more: the issuer decides whether that is enough.
 *
 * @param explanation what the operator adds to the user's text; empty for nothing
 * @param original the other payment of a double charge; empty for none
 * @throws disputes.not_found, disputes.closed, transactions.not_found, request.invalid
 */
export async function submitDispute(
  ctx: OperatorContext,
  { reference, explanation = "", original = "" }: { reference: string; explanation?: string; original?: string },
): Promise<CardDispute> {
  const { dispute: known } = await getDisputeDetails(ctx, { reference });
  const named = await readOriginal(ctx, { id: known.paymentId, userId: known.userId }, original);
  const given = { ...(explanation !== "" && { explanation }), ...named };
  return ctx.act("disputes.submit", async (work) => {
    const { tx, requestId } = work;
    const dispute = (await lockDispute(tx, known.id)) ?? fail("disputes.not_found");
    if (dispute.status !== "created") fail("disputes.closed");
    const { paymentId, userId, status } = dispute;
    if (Object.keys(given).length > 0) await addText(ctx, work, { paymentId, userId, given });
    await enqueue(tx, "card.submitDispute", { disputeId: dispute.id, requestId });
    const facts = { disputeId: dispute.id, status };
    return { output: dispute, subject: { kind: "payment", id: paymentId }, before: facts, after: facts };
  });
}

/** Submits a dispute for an operator, complete or not. */
export const submitNow = (ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> =>
  advanceDispute(ctx, { disputeId, isForced: true });

/**
 * Withdraws a dispute that was not submitted, and what was returned for it. What the issuer has of it is never submitted, and
 * expires there.
 *
 * @throws disputes.not_found, disputes.closed
 */
export async function withdrawDispute(
  ctx: OperatorContext,
  { reference }: { reference: string },
): Promise<CardDispute> {
  const { dispute: known, payment } = await getDisputeDetails(ctx, { reference });
  if (payment) await requireTransfers(ctx, () => payment.threadId);
  return ctx.act("disputes.withdraw", async (work) => {
    const { tx, now } = work;
    await lockUser(tx, known.userId);
    const safe = payment && (await lockSafe(tx, payment.safeId));
    const dispute = (await lockDispute(tx, known.id)) ?? fail("disputes.not_found");
    if (!draftDisputeStatuses.includes(dispute.status)) fail("disputes.closed");
    const ended = { closedAt: now, nextAt: null, updatedAt: now, creditCents: 0n };
    const output = (await moveDispute(tx, dispute.id, "withdrawn", ended, "operator")) ?? fail("disputes.closed");
    const after = payment && safe && hasCurrency(safe) ? await applyCredit(ctx, work, safe, output, payment) : payment;
    if (after) await publishDispute(work, output, after);
    return {
      output,
      subject: { kind: "payment", id: dispute.paymentId },
      before: { disputeId: dispute.id, status: dispute.status },
      after: { disputeId: dispute.id, status: output.status },
    };
  });
}
