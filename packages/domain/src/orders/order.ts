/** An order as its user sees it, and what it costs. */
import type { order } from "@cardkeep/contract/orders";
import { fail } from "@cardkeep/contract/errors";
import type { Executor, Tx } from "@cardkeep/db/client";
import { findOrder, type Order } from "@cardkeep/db/queries/orders";
import { lockUser } from "@cardkeep/db/queries/users";
import type { z } from "zod";

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
  if (!(await lockUser(tx, userId))) fail("auth.unauthorized");
  return getOrder(tx, userId, orderId);
}

/** @throws orders.wrong_status unless the order still waits to be paid or confirmed */
export function requirePending({ status }: Order): void {
  if (status !== "PENDINGTRANSACTION") fail("orders.wrong_status");
}
