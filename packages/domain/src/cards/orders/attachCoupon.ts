import { fail } from "@cardkeep/contract/core/errors";
import { updateOrder } from "@cardkeep/db/queries/cards/orders";
import { redeemCoupon } from "../coupons/redeemCoupon.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { lockOrder, requirePending } from "./order.ts";

/**
 * Redeems a coupon for an order that waits for its payment. The best of its coupons counts, the last one is shown.
 *
 * @throws orders.not_found, orders.wrong_status, coupons.invalid, coupons.already_used
 */
export async function attachCoupon(
  ctx: UserContext,
  input: { orderId: string; couponCode: string },
): Promise<Commit<{ couponCode: string }>> {
  const couponCode = input.couponCode.toUpperCase();
  return async (work) => {
    const order = await lockOrder(work.tx, ctx.actor.userId, input.orderId);
    requirePending(order);
    const discount = await redeemCoupon(ctx, work, order, couponCode);
    if (typeof discount === "string") fail(discount);
    await updateOrder(work.tx, order.id, order.status, {
      couponCode,
      discountEurCents: discount > order.discountEurCents ? discount : order.discountEurCents,
      updatedAt: work.now,
    });
    return { couponCode };
  };
}
