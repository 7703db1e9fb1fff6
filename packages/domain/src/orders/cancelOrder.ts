import { fail } from "@cardkeep/contract/errors";
import type { Tx } from "@cardkeep/db/client";
import { findOpenCardIssue } from "@cardkeep/db/queries/cards/issues";
import { releaseCoupons } from "@cardkeep/db/queries/coupons";
import { findOrder, moveOrder, type Order, releasePaymentHash } from "@cardkeep/db/queries/orders";
import type { Commit, OperatorContext, UserContext } from "../context.ts";
import { lockOrder } from "./order.ts";

/**
 * Cancels an order that is not ready yet. Its coupons are free again, and its transaction unless it paid the order.
 *
 * @throws orders.not_found, orders.wrong_status
 */
export async function cancelOrder(
  ctx: UserContext,
  { orderId }: { orderId: string },
): Promise<Commit<{ ok: boolean }>> {
  return async ({ tx, now }) => {
    const { id } = await lockOrder(tx, ctx.actor.userId, orderId);
    await release(tx, id, now, "anyone");
    return { ok: true };
  };
}

/** The same for the operator, who may also cancel an order that is ready. @throws orders.not_found, orders.wrong_status */
export async function cancelAsOperator(ctx: OperatorContext, { orderId }: { orderId: string }): Promise<Order> {
  return ctx.act("orders.cancel", async ({ tx, now }) => {
    const { userId } = (await findOrder(tx, orderId)) ?? fail("orders.not_found");
    const { id, status } = await lockOrder(tx, userId, orderId);
    // Its card is being made; in a moment it is there, or it was refused.
    if ((await findOpenCardIssue(tx, userId))?.orderId === id) fail("orders.wrong_status");
    const output = await release(tx, id, now, ctx.actor.kind);
    return { output, subject: { kind: "order", id }, before: { status }, after: { status: output.status } };
  });
}

async function release(tx: Tx, id: string, now: Date, by: "operator" | "anyone"): Promise<Order> {
  const order = (await moveOrder(tx, id, "CANCELLED", { updatedAt: now }, by)) ?? fail("orders.wrong_status");
  await releasePaymentHash(tx, id);
  await releaseCoupons(tx, id);
  return order;
}
