import { dayMs } from "@cardkeep/contract/core/durations";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findOrder, findPaymentHash, type Order, releasePaymentHash } from "@cardkeep/db/queries/cards/orders";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { WorkerContext } from "../../core/context.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import { lockOrder } from "./order.ts";
import { isFree } from "./orderPrice.ts";
import { endedStatuses } from "./orderReturns.ts";
import { checkPayment } from "./payment.ts";
import { keepUnused, settlePaid, settleReverted } from "./settlePaid.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";

/** The time until a newly attached transaction is read. */
export const firstLookMs = 2_000;
const lookMsMax = 60_000;
/** A transaction that is not on chain by then is not held any longer; its user may attach it again. */
export const heldMsMax = dayMs;

/**
 * Looks at the transaction attached to a pending order, less and less often, for a day.
 *
 * One that reverted ends the order. One that pays it moves it only where its user asked for that already, when it was not
 * final yet: until then what the order becomes is the user's choice.
 */
export async function watchPayment(ctx: WorkerContext, { orderId }: { orderId: string }): Promise<void> {
  const order = await findOrder(ctx.db, orderId);
  if (!order || order.transactionHash === null) return;
  if (order.status !== "PENDINGTRANSACTION") return watchUnused(ctx, order, order.transactionHash);
  const reserved = await findPaymentHash(ctx.db, order.transactionHash);
  if (reserved?.orderId !== orderId || reserved.provenAt !== null) return;

  const verdict = await checkPayment(ctx, order.transactionHash, order);
  await ctx.commit(async (work) => {
    const fresh = await lockOrder(work.tx, order.userId, orderId);
    if (!isSame(fresh, order)) return;
    if (verdict.kind === "reverted") return settleReverted(work, fresh, verdict.receipt);
    if (verdict.kind === "mined" && fresh.askedAt !== null && (await settlePaid(work, fresh, verdict, null))) return;
    const ageMs = work.now.getTime() - reserved.claimedAt.getTime();
    if (ageMs >= heldMsMax) return releasePaymentHash(work.tx, orderId);
    const delayMs = spaceLooks(ageMs, { minMs: firstLookMs, maxMs: lookMsMax });
    await enqueue(work.tx, "order.payment", { orderId, requestId: order.requestId }, delayMs);
  });
}

/** An order that uses no payment: one that ended without a card, or a free one. */
const needsNone = (order: Order): boolean => endedStatuses.includes(order.status) || isFree(order);

/**
 * Looks for a day at the transaction that was attached to an order which does not need it. Its money is a case, until the
 * transaction pays another order.
 */
async function watchUnused(ctx: WorkerContext, order: Order, hash: Hex): Promise<void> {
  if (order.paidAt !== null || !needsNone(order)) return;
  const verdict = await checkPayment(ctx, hash, order);
  await ctx.commit(async (work) => {
    const fresh = await lockOrder(work.tx, order.userId, order.id);
    // Its card may be made meanwhile: the money is unused all the same.
    if (fresh.transactionHash !== hash || fresh.paidAt !== null || !needsNone(fresh)) return;
    // It is looked at again once that block is gone.
    if (verdict.kind === "reverted") return restOn(work, verdict.receipt);
    if (verdict.kind === "mined") return keepUnused(work, fresh, verdict);
    const ageMs = work.now.getTime() - fresh.updatedAt.getTime();
    const delayMs = spaceLooks(ageMs, { minMs: firstLookMs, maxMs: lookMsMax });
    if (ageMs < heldMsMax)
      await enqueue(work.tx, "order.payment", { orderId: order.id, requestId: order.requestId }, delayMs);
  });
}

const isSame = (a: Order, b: Order): boolean => a.status === b.status && a.transactionHash === b.transactionHash;
