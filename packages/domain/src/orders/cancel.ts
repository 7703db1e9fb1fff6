import { fail } from "@cardkeep/contract/errors";
import { releaseCoupons } from "@cardkeep/db/queries/coupons";
import { findOrder, moveOrder, releasePaymentHash } from "@cardkeep/db/queries/orders";
import type { Context, UserContext, Work } from "../context.ts";
import { lockOrder } from "./order.ts";

/**
 * Gives up an order that is not ready yet; what it held is free again, except for a transaction that paid it.
 *
 * @throws orders.not_found, orders.wrong_status
 */
export async function cancel(ctx: UserContext, { orderId }: { orderId: string }): Promise<{ ok: boolean }> {
  return ctx.commit(async (work) => {
    const { id } = await lockOrder(work.tx, ctx.actor.userId, orderId);
    await release(work, id, "anyone");
    return { ok: true };
  });
}

/** The same for the operator, who may also cancel an order that is ready. @throws orders.not_found, orders.wrong_status */
export async function cancelAsOperator(
  ctx: Pick<Context, "db" | "commit">,
  { orderId }: { orderId: string },
): Promise<{ ok: boolean }> {
  const { userId } = (await findOrder(ctx.db, orderId)) ?? fail("orders.not_found");
  return ctx.commit(async (work) => {
    const { id } = await lockOrder(work.tx, userId, orderId);
    await release(work, id, "operator");
    return { ok: true };
  });
}

async function release({ tx, now }: Work, id: string, by: "operator" | "anyone"): Promise<void> {
  if (!(await moveOrder(tx, id, "CANCELLED", { updatedAt: now }, by))) fail("orders.wrong_status");
  await releasePaymentHash(tx, id);
  await releaseCoupons(tx, id);
}
