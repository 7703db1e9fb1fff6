/** Takes a dispute to the issuer: made there, then submitted to the card network. */
import type { DisputeReason } from "@cardkeep/contract/disputes";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findDispute, updateDispute } from "@cardkeep/db/queries/spending/disputes";
import { listClearings } from "@cardkeep/db/queries/spending/payments";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { SpendingIssuer } from "@cardkeep/providers/issuer/spending";
import type { WorkerContext } from "../context.ts";

/** The issuer's reason for each of ours. */
const issuerReasons: Readonly<Record<DisputeReason, Parameters<SpendingIssuer["createDispute"]>[0]["reason"]>> = {
  purchase_cancelled_but_no_refund_received: "canceled",
  problem_with_the_product_chargeback_: "merchandise_not_as_described",
  problem_with_service_subscription_chargeback: "service_not_as_described",
  wrong_installment_number: "other",
  wrong_value: "other",
  charged_more_than_once: "duplicate",
  unrecognized_transaction_report_fraudulent: "fraudulent",
};

/** Only captures can be disputed at the issuer. */
const claimAgainMs = 3_600_000;

/** Each step is written before the next one: a job that dies goes on where it was, and makes no second dispute. */
export async function submitDispute(ctx: WorkerContext, { disputeId }: { disputeId: string }): Promise<void> {
  const dispute = await findDispute(ctx.db, disputeId);
  if (dispute?.status !== "requested" && dispute?.status !== "created") return;
  const claim = (await listClearings(ctx.db, { ...dispute, id: dispute.paymentId }, "capture")).at(-1);
  const { requestId } = dispute;
  if (!claim) return enqueue(ctx.db, "card.dispute", { disputeId, requestId }, claimAgainMs);
  try {
    const issuerDisputeId =
      dispute.issuerDisputeId ??
      (await ctx.issuer.createDispute({
        transactionId: claim.id,
        reason: issuerReasons[dispute.reason],
        explanation: dispute.reason.replaceAll("_", " ").trim(),
        idempotencyKey: `dispute:${disputeId}`,
      }));
    await ctx.commit(({ tx, now }) =>
      updateDispute(tx, disputeId, { status: "created", issuerDisputeId, updatedAt: now }),
    );
    await ctx.issuer.submitDispute(issuerDisputeId);
    await ctx.commit(({ tx, now }) => updateDispute(tx, disputeId, { status: "submitted", updatedAt: now }));
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ disputeId, err: error }, "the issuer refused a dispute");
    await ctx.commit(({ tx, now }) => updateDispute(tx, disputeId, { status: "refused", updatedAt: now }));
  }
}
