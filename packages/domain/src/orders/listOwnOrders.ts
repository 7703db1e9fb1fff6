import { listOrders } from "@cardkeep/db/queries/orders";
import type { UserContext } from "../context.ts";
import { buildOrder } from "./order.ts";

/** The user's orders, newest first. */
export async function listOwnOrders(ctx: UserContext) {
  return (await listOrders(ctx.db, ctx.actor.userId)).map(buildOrder);
}
