import type { UserContext } from "../context.ts";
import { buildOrder, getOrder } from "./order.ts";

/** One of the user's orders. @throws orders.not_found */
export async function getOwnOrder(ctx: UserContext, { orderId }: { orderId: string }) {
  const row = await getOrder(ctx.db, ctx.actor.userId, orderId);
  return { ...buildOrder(row), totalDiscountEur: row.discountEurCents };
}
