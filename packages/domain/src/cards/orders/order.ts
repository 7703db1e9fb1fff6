/** An order as its user sees it. */
import { fail } from "@cardkeep/contract/core/errors";
import type { order, OrderStatus } from "@cardkeep/contract/cards/orders";
import type { Executor, Tx } from "@cardkeep/db/client";
import { findOrder, listAllOrders as listRows, listOrders, type Order } from "@cardkeep/db/queries/cards/orders";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { z } from "zod";
import type { OperatorActor } from "../../core/actor.ts";
import type { OperatorContext, UserContext } from "../../core/context.ts";
import { maySeePeople, resolveUser } from "../../users/users/listUsers.ts";
import { discountOf } from "./orderPrice.ts";

type Resource = z.output<typeof order>;

/** The order as it is answered. */
export const buildOrder = (row: Order): Resource => {
  const { totalEurCents, discountEurCents, totalCents, ...rest } = row;
  return {
    ...rest,
    totalAmountEUR: totalEurCents,
    totalDiscountEUR: discountEurCents,
    totalAmount: totalCents,
    totalDiscount: discountOf(row),
  };
};

/** A user's own order; another user's order is not found either. @throws orders.not_found */
export async function getOrder(on: Executor, userId: string, orderId: string): Promise<Order> {
  const row = await findOrder(on, orderId);
  return row?.userId === userId ? row : fail("orders.not_found");
}

/** The same behind its user's row lock, under which every change of an order is made. @throws orders.not_found */
export async function lockOrder(tx: Tx, userId: string, orderId: string): Promise<Order> {
  if (!(await lockUser(tx, userId))) fail("auth.token_invalid");
  return getOrder(tx, userId, orderId);
}

/** @throws orders.wrong_status unless the order still waits to be paid or confirmed */
export function requirePending({ status }: Order): void {
  if (status !== "PENDINGTRANSACTION") fail("orders.wrong_status");
}

/** One of the user's orders. @throws orders.not_found */
export async function getOwnOrder(ctx: UserContext, { orderId }: { orderId: string }) {
  const row = await getOrder(ctx.db, ctx.actor.userId, orderId);
  return { ...buildOrder(row), totalDiscountEur: row.discountEurCents };
}

/** The user's orders, or those of them that changed since an instant, newest first. */
export async function listOwnOrders(
  ctx: UserContext,
  { updatedSince = null }: { updatedSince?: Date | null | undefined } = {},
) {
  return (await ctx.lists.read((on) => listOrders(on, ctx.actor.userId, updatedSince))).map(buildOrder);
}

/** Where an order goes to, and the name on its card, show to operators who may act for its person, and to no viewer. */
export const hideReceiver = (actor: OperatorActor, order: Order): Order =>
  maySeePeople(actor)
    ? order
    : { ...order, embossedName: null, address1: null, address2: null, city: null, postalCode: null, state: null };

/** Everybody's orders, or one user's, newest first, as their reader may see them. @throws users.not_found */
export async function listAllOrders(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  input: {
    user?: string | null | undefined;
    status?: OrderStatus | null | undefined;
    after?: string | null | undefined;
    limit: number;
  },
): Promise<Order[]> {
  const user = input.user ? await resolveUser(db, input.user) : null;
  const { status = null, after = null, limit } = input;
  const rows = await listRows(db, { userId: user?.id ?? null, status, after, limit });
  return rows.map((row) => hideReceiver(actor, row));
}
