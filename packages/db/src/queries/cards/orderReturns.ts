/** Returns of the payments of card orders. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { orderReturns } from "../../schema/tables.ts";

export type OrderReturn = typeof orderReturns.$inferSelect;

/** What was returned of an order or is on its way, in its order. */
export async function listOrderReturns(on: Executor, orderId: string): Promise<OrderReturn[]> {
  return on.select().from(orderReturns).where(eq(orderReturns.orderId, orderId)).orderBy(asc(orderReturns.ordinal));
}

export async function findOrderReturn(on: Executor, id: string): Promise<OrderReturn | null> {
  const [row] = await on.select().from(orderReturns).where(eq(orderReturns.id, id)).limit(1);
  return row ?? null;
}

export async function insertOrderReturn(
  tx: Tx,
  row: Omit<OrderReturn, "signedAt" | "hash" | "paidAt">,
): Promise<OrderReturn> {
  const [inserted] = await tx.insert(orderReturns).values(row).returning();
  if (!inserted) throw new Error(`Order return ${row.id} was not inserted`);
  return inserted;
}

/** Takes the row lock of a return that waits for its signature; null where it is signed or paid. */
export async function lockPlannedReturn(tx: Tx, id: string): Promise<OrderReturn | null> {
  const [row] = await tx.select().from(orderReturns).where(eq(orderReturns.id, id)).for("update");
  return row?.signedAt === null && row.paidAt === null ? row : null;
}

/** Gives a return another receiver, or the amount that it moved. */
export async function setReturnTransfer(
  tx: Tx,
  id: string,
  change: { recipient: Address; amount?: bigint },
): Promise<void> {
  await tx.update(orderReturns).set(change).where(eq(orderReturns.id, id));
}

/** Whether a return to an address is signed: it may be mined at any moment. */
export async function hasSignedOrderReturn(on: Executor, recipient: Address): Promise<boolean> {
  const isOnItsWay = and(isNotNull(orderReturns.signedAt), isNull(orderReturns.paidAt));
  const rows = await on
    .select({ id: orderReturns.id })
    .from(orderReturns)
    .where(and(eq(orderReturns.recipient, recipient), isOnItsWay))
    .limit(1);
  return rows.length > 0;
}

/** SQL that selects as `subject` the returns to Safes that a user has reset, of those that are still to be signed. */
export const selectOrderReturnsOfReset = (userId: string) => sql`
  select id as subject from order_returns where signed_at is null and paid_at is null
    and recipient in (select address from safes where user_id = ${userId} and status = 'reset')`;

/** Records that a return is signed, or with null that it has to be signed anew. */
export async function setReturnSigned(tx: Tx, id: string, signedAt: Date | null): Promise<void> {
  await tx.update(orderReturns).set({ signedAt, hash: null, paidAt: null }).where(eq(orderReturns.id, id));
}

/** Records the transaction that paid a return. */
export async function setReturnPaid(tx: Tx, id: string, { hash, paidAt }: { hash: Hex; paidAt: Date }): Promise<void> {
  await tx.update(orderReturns).set({ hash, paidAt }).where(eq(orderReturns.id, id));
}
