/** An order as its user sees it, and what it costs. */
import { fail } from "@cardkeep/contract/errors";
import type { order, OrderStatus } from "@cardkeep/contract/orders";
import type { Executor, Tx } from "@cardkeep/db/client";
import { findOrder, listAllOrders as listRows, listOrders, type Order } from "@cardkeep/db/queries/orders";
import { lockUser } from "@cardkeep/db/queries/users";
import type { z } from "zod";
import type { UserContext } from "../context.ts";
import type { Services } from "../services.ts";
import { resolveUser } from "../users/listUsers.ts";

/** What a card costs. */
export const cardPriceEurCents = 3_023n;

/** What is left to pay. */
export const dueOf = (row: Order): bigint => row.totalEurCents - row.discountEurCents;

export const isFree = (row: Order): boolean => dueOf(row) === 0n;

type Resource = z.output<typeof order>;

/** The order as it is answered. */
export const buildOrder = ({ totalEurCents, discountEurCents, ...row }: Order): Resource => ({
  ...row,
  totalAmountEUR: totalEurCents,
  totalDiscountEUR: discountEurCents,
});

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

/** The user's orders, newest first. */
export async function listOwnOrders(ctx: UserContext) {
  return (await ctx.lists.read((on) => listOrders(on, ctx.actor.userId))).map(buildOrder);
}

/** Everybody's orders, or one user's, newest first. @throws users.not_found */
export async function listAllOrders(
  { db }: Pick<Services, "db">,
  input: {
    user?: string | null | undefined;
    status?: OrderStatus | null | undefined;
    after?: string | null | undefined;
    limit: number;
  },
): Promise<Order[]> {
  const user = input.user ? await resolveUser(db, input.user) : null;
  const { status = null, after = null, limit } = input;
  return listRows(db, { userId: user?.id ?? null, status, after, limit });
}
