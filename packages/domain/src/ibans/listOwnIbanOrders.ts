import { listIbanOrders } from "@cardkeep/db/queries/ibans";
import type { UserContext } from "../context.ts";

/** Orders of the institution, newest first, in their last reported state. */
export async function listOwnIbanOrders(ctx: UserContext) {
  const rows = await listIbanOrders(ctx.db, ctx.actor.userId);
  return { data: rows.map(({ placedAt, ...order }) => ({ ...order, meta: { placedAt } })) };
}
