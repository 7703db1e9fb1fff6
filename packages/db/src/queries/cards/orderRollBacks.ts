/** What a reorganisation takes from card orders. */
import { listUndoOrigins } from "@cardkeep/contract/core/machine";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import { and, gt, gte, inArray, isNotNull, isNull, not, or, sql } from "drizzle-orm";
import type { Tx } from "../../client.ts";
import { isNoneOf, isOneOf } from "../../schema/columns.ts";
import { orderReturns, orders, paymentHashes } from "../../schema/tables.ts";
import { isProven, type Order, unpaid } from "./orders.ts";

/** Drops returns of money whose block is gone, where none signed them yet. Answers their orders. */
export async function dropPlannedReturns(tx: Tx, after: bigint): Promise<Order[]> {
  const gone = tx.select({ id: orders.id }).from(orders).where(gt(orders.paymentBlock, after));
  const { orderId, signedAt, paidAt } = orderReturns;
  const dropped = await tx
    .delete(orderReturns)
    .where(and(inArray(orderId, gone), isNull(signedAt), isNull(paidAt)))
    .returning({ orderId });
  const ids = dropped.map((row) => row.orderId);
  return tx.select().from(orders).where(inArray(orders.id, ids));
}

/**
 * Rolls back orders whose payment is not on chain any more. Their transactions are only reserved again; once they are mined,
 * they move the orders on.
 */
export async function rollBackOrders(tx: Tx, after: bigint, now: Date): Promise<Order[]> {
  const to = "PENDINGTRANSACTION";
  const rows = await tx
    .update(orders)
    .set({ status: to, ...unpaid, askedAt: now, confirmedAt: null, updatedAt: now })
    .where(and(gt(orders.paymentBlock, after), inArray(orders.status, listUndoOrigins(orderMachine, to)), isProven))
    .returning();
  const ids = rows.map(({ id }) => id);
  await tx.update(paymentHashes).set({ provenAt: null, claimedAt: now }).where(inArray(paymentHashes.orderId, ids));
  return rows;
}

/**
 * Empties the payment of orders that it did not move, once its block is gone: cancelled ones, and those that a transaction was
 * kept for without need. Their transactions are free again. An order keeps it whose return is signed.
 */
export async function forgetRemovedPayments(tx: Tx, after: bigint, now: Date): Promise<Order[]> {
  const isReturned = sql`exists (select from ${orderReturns} where ${orderReturns.orderId} = ${orders.id})`;
  const isUnmoved = or(isOneOf(orders.status, ["CANCELLED"]), not(isProven));
  const rows = await tx
    .update(orders)
    .set({ ...unpaid, updatedAt: now })
    .where(and(gt(orders.paymentBlock, after), isUnmoved, not(isReturned)))
    .returning();
  const ids = rows.map(({ id }) => id);
  await tx.delete(paymentHashes).where(inArray(paymentHashes.orderId, ids));
  return rows;
}

/**
 * Orders that failed, were cancelled or became free since an instant and have a transaction without a payment: it reverted, or
 * is not mined.
 */
export const listUnpaid = async (tx: Tx, since: Date): Promise<Order[]> =>
  tx
    .select()
    .from(orders)
    .where(
      and(
        isNoneOf(orders.status, ["PENDINGTRANSACTION"]),
        isNull(orders.paidAt),
        isNotNull(orders.transactionHash),
        gte(orders.updatedAt, since),
      ),
    );
