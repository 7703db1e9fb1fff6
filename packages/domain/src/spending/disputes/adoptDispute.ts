import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import {
  findIssuedDispute,
  findWaitingDispute,
  insertDispute,
  updateDispute,
} from "@cardkeep/db/queries/spending/disputes";
import { findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { ownReasons } from "./deriveDispute.ts";
import { openDisputeCase } from "./openDisputeCase.ts";

/**
 * Adopts a dispute that was made at the issuer, or whose row a restored database lost. A payment has one dispute: the issuer's
 * second one of it becomes a case.
 */
export async function adoptDispute(
  ctx: WorkerContext,
  { issuerDisputeId }: { issuerDisputeId: string },
): Promise<void> {
  const report = await ctx.issuer.findDispute(issuerDisputeId);
  const threadId = report && (await ctx.issuer.findTransactionThread(report.transactionId));
  const payment = threadId && (await findPaymentByThread(ctx.db, threadId));
  if (!report || !payment) return ctx.log.warn({ issuerDisputeId }, "a dispute of the issuer names an unknown payment");
  await ctx.commit(async (work) => {
    const { tx, now, requestId } = work;
    await lockSafe(tx, payment.safeId);
    const known = await findIssuedDispute(tx, issuerDisputeId);
    const row = {
      id: report.reference ?? generateId(),
      paymentId: payment.id,
      userId: payment.userId,
      reason: ownReasons[report.reason],
      requestId,
      createdAt: now,
    };
    const adopted = known ?? (await findWaitingDispute(tx, payment.id)) ?? (await insertDispute(tx, row));
    if (!adopted) {
      ctx.log.error({ issuerDisputeId, paymentId: payment.id }, "a payment has a second dispute");
      return openDisputeCase(work, payment, report, null);
    }
    await updateDispute(tx, adopted.id, { claimId: report.transactionId });
    await enqueue(tx, "card.dispute", { disputeId: adopted.id, requestId });
  });
}
