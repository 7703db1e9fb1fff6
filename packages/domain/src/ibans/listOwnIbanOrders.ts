import { listIbanOrders } from "@cardkeep/db/queries/ibans";
import type { UserContext } from "../context.ts";

/** Money that moved, newest first, as the institution told last. */
export async function listOwnIbanOrders(ctx: UserContext) {
  const rows = await listIbanOrders(ctx.db, ctx.actor.userId);
  return { data: rows.map(({ placedAt, ...order }) => ({ ...order, meta: { placedAt } })) };
}
