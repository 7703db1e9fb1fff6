import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findOrder, findPaymentHash, type Order, releasePaymentHash } from "@cardkeep/db/queries/cards/orders";
import type { WorkerContext } from "../../core/context.ts";
import { lockOrder } from "./order.ts";
import { checkPayment } from "./payment.ts";
import { settlePaid, settleReverted } from "./settlePaid.ts";

/** The time until a newly attached transaction is read. */
export const firstLookMs = 2_000;
const lookMsMax = 60_000;
/** A transaction that is not on chain by then is not held any longer; its user may attach it again. */
const heldMsMax = 24 * 3_600_000;

/**
 * Looks at the transaction attached to a pending order, less and less often, for a day.
 *
 * One that reverted ends the order. One that pays it moves it only where its user asked for that already, when it was not
 * final yet: until then what the order becomes is the user's choice.
 */
export async function watchPayment(ctx: WorkerContext, { orderId }: { orderId: string }): Promise<void> {
  const order = await findOrder(ctx.db, orderId);
  if (order?.status !== "PENDINGTRANSACTION" || order.transactionHash === null) return;
  const claim = await findPaymentHash(ctx.db, order.transactionHash);
  if (claim?.orderId !== orderId || claim.provenAt !== null) return;

  const verdict = await checkPayment(ctx, order.transactionHash, order);
  await ctx.commit(async (work) => {
    const fresh = await lockOrder(work.tx, order.userId, orderId);
    if (!isSame(fresh, order)) return;
    if (verdict.kind === "reverted") return settleReverted(work, fresh);
    if (verdict.kind === "mined" && fresh.askedAt !== null && (await settlePaid(work, fresh, verdict, null))) return;
    const ageMs = work.now.getTime() - claim.claimedAt.getTime();
    if (ageMs >= heldMsMax) return releasePaymentHash(work.tx, orderId);
    const delayMs = Math.min(lookMsMax, Math.max(firstLookMs, ageMs / 10));
    await enqueue(work.tx, "order.payment", { orderId, requestId: order.requestId }, delayMs);
  });
}

const isSame = (a: Order, b: Order): boolean => a.status === b.status && a.transactionHash === b.transactionHash;
