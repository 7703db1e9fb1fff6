import { fail } from "@cardkeep/contract/core/errors";
import { findCardByOrder } from "@cardkeep/db/queries/cards/cards";
import { findOpenCardIssue } from "@cardkeep/db/queries/cards/issues";
import { releaseCoupons } from "@cardkeep/db/queries/cards/coupons";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findOrder, moveOrder, type Order, releasePaymentHash } from "@cardkeep/db/queries/cards/orders";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import type { Commit, OperatorContext, UserContext, Work } from "../../core/context.ts";
import { lockOrder } from "./order.ts";
import { openReturnCase } from "./orderReturns.ts";
import { firstLookMs } from "./watchPayment.ts";

/**
 * Cancels an order that is not ready yet. Its coupons are free again, and its transaction unless it paid the order: then a
 * case returns the money. So it does once the transaction turns out to have paid. An order that a restore left behind its card
 * pays for that card.
 *
 * @throws orders.not_found, orders.wrong_status, RowsMissing
 */
export async function cancelOrder(
  ctx: UserContext,
  { orderId }: { orderId: string },
): Promise<Commit<{ ok: boolean }>> {
  // Its card may be there already, and its row lost.
  await requireRows(ctx, "cards");
  return async (work) => {
    const { id } = await lockOrder(work.tx, ctx.actor.userId, orderId);
    if (await findCardByOrder(work.tx, id)) fail("orders.wrong_status");
    await release(work, id, "anyone");
    return { ok: true };
  };
}

/**
 * The same for the operator, who may also cancel an order that is ready, or has a card.
 *
 * @throws orders.not_found, orders.wrong_status, RowsMissing
 */
export async function cancelAsOperator(ctx: OperatorContext, { orderId }: { orderId: string }): Promise<Order> {
  await requireRows(ctx, "cards");
  return ctx.act("orders.cancel", async (work) => {
    const { tx } = work;
    const { userId } = (await findOrder(tx, orderId)) ?? fail("orders.not_found");
    const { id, status } = await lockOrder(tx, userId, orderId);
    // Its card is being made; in a moment it is there, or it was refused.
    if ((await findOpenCardIssue(tx, userId))?.orderId === id) fail("orders.wrong_status");
    const output = await release(work, id, ctx.actor.kind);
    return { output, subject: { kind: "order", id }, before: { status }, after: { status: output.status } };
  });
}

async function release(work: Work, id: string, by: "operator" | "anyone"): Promise<Order> {
  const { tx, now } = work;
  const order = (await moveOrder(tx, id, "CANCELLED", { updatedAt: now }, by)) ?? fail("orders.wrong_status");
  await releasePaymentHash(tx, id);
  await releaseCoupons(tx, id);
  await openReturnCase(work, order);
  if (order.transactionHash !== null && order.paidAt === null)
    await enqueue(tx, "order.payment", { orderId: id, requestId: work.requestId }, firstLookMs);
  return order;
}
