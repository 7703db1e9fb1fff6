/** Card orders and the transactions that pay them. */
import { listFinalStates, listOrigins } from "@cardkeep/contract/core/machine";
import { orderMachine, type OrderStatus } from "@cardkeep/contract/cards/orders";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, ne, not, notInArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { orders, paymentHashes, safes, signInWallets } from "../../schema/tables.ts";

export type Order = typeof orders.$inferSelect;
export type PaymentHash = typeof paymentHashes.$inferSelect;

/** Inserts an order; null when its user has one that is not final. */
export async function insertOrder(tx: Tx, row: typeof orders.$inferInsert): Promise<Order | null> {
  const [inserted] = await tx.insert(orders).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

export async function findOrder(on: Executor, id: string): Promise<Order | null> {
  const [row] = await on.select().from(orders).where(eq(orders.id, id)).limit(1);
  return row ?? null;
}

/** A user's order that is not final; there is one at most. */
export async function findOpenOrder(on: Executor, userId: string): Promise<Order | null> {
  const [row] = await on
    .select()
    .from(orders)
    .where(and(eq(orders.userId, userId), notInArray(orders.status, listFinalStates(orderMachine))))
    .limit(1);
  return row ?? null;
}

/** A user's orders, or those of them that changed since an instant, newest first. */
export async function listOrders(on: Executor, userId: string, updatedSince: Date | null = null): Promise<Order[]> {
  const isChanged = updatedSince === null ? undefined : gte(orders.updatedAt, updatedSince);
  return on
    .select()
    .from(orders)
    .where(and(eq(orders.userId, userId), isChanged))
    .orderBy(desc(orders.createdAt), desc(orders.id));
}

/** Orders, newest first, as their ids are; null leaves a condition out. `after` names the last row of the page before. */
export async function listAllOrders(
  on: Executor,
  {
    userId,
    status,
    after,
    limit,
  }: { userId: string | null; status: OrderStatus | null; after: string | null; limit: number },
): Promise<Order[]> {
  return on
    .select()
    .from(orders)
    .where(
      and(
        userId === null ? undefined : eq(orders.userId, userId),
        status ? isOneOf(orders.status, [status]) : undefined,
        after === null ? undefined : lt(orders.id, after),
      ),
    )
    .orderBy(desc(userId === null ? orders.id : sql`${orders.id} collate "C"`))
    .limit(limit);
}

/** The transaction that an order names as its payment. */
export async function findPaymentHashOf(on: Executor, orderId: string): Promise<PaymentHash | null> {
  const [row] = await on.select().from(paymentHashes).where(eq(paymentHashes.orderId, orderId)).limit(1);
  return row ?? null;
}

export type OrderChange = Omit<Partial<typeof orders.$inferInsert>, "id" | "userId" | "status">;

/**
 * Moves an order on; null when it is in no state any more from which the machine's table lets it go there.
 *
 * What the operator alone may do is refused unless it is the operator.
 */
export async function moveOrder(
  tx: Tx,
  id: string,
  to: OrderStatus,
  change: OrderChange,
  by: "operator" | "anyone" = "anyone",
): Promise<Order | null> {
  const [row] = await tx
    .update(orders)
    .set({ ...change, status: to })
    .where(and(eq(orders.id, id), inArray(orders.status, listOrigins(orderMachine, to, by))))
    .returning();
  return row ?? null;
}

/** Changes an order that stays where it is; null when that is not `status`. */
export async function updateOrder(tx: Tx, id: string, status: OrderStatus, change: OrderChange): Promise<Order | null> {
  const [row] = await tx
    .update(orders)
    .set(change)
    .where(and(eq(orders.id, id), eq(orders.status, status)))
    .returning();
  return row ?? null;
}

export async function findPaymentHash(on: Executor, hash: Hex): Promise<PaymentHash | null> {
  const [row] = await on.select().from(paymentHashes).where(eq(paymentHashes.hash, hash)).limit(1);
  return row ?? null;
}

/**
 * Reserves a transaction for an order, which gives up any other one; false when it is another order's.
 *
 * With `takesOver` another order's reservation ends, unless the transaction was seen to pay that order.
 */
export async function reservePaymentHash(
  tx: Tx,
  { hash, orderId, claimedAt, takesOver }: { hash: Hex; orderId: string; claimedAt: Date; takesOver: boolean },
): Promise<boolean> {
  await releasePaymentHash(tx, orderId);
  if (takesOver)
    await tx.delete(paymentHashes).where(and(eq(paymentHashes.hash, hash), isNull(paymentHashes.provenAt)));
  const inserted = await tx
    .insert(paymentHashes)
    .values({ hash, orderId, claimedAt })
    .onConflictDoNothing()
    .returning({ hash: paymentHashes.hash });
  return inserted.length === 1;
}

/** Ends the reservations of an order that no transaction was seen to pay. */
export async function releasePaymentHash(tx: Tx, orderId: string): Promise<void> {
  await tx
    .delete(paymentHashes)
    .where(sql`${eq(paymentHashes.orderId, orderId)} and ${isNull(paymentHashes.provenAt)}`);
}

/** Keeps a transaction for an order for good; false when it is another order's, or paid this one already. */
export async function provePaymentHash(
  tx: Tx,
  { hash, orderId, provenAt }: { hash: Hex; orderId: string; provenAt: Date },
): Promise<boolean> {
  const proven = await tx
    .insert(paymentHashes)
    .values({ hash, orderId, claimedAt: provenAt, provenAt })
    .onConflictDoUpdate({
      target: paymentHashes.hash,
      set: { provenAt },
      setWhere: sql`${eq(paymentHashes.orderId, orderId)} and ${isNull(paymentHashes.provenAt)}`,
    })
    .returning({ hash: paymentHashes.hash });
  return proven.length === 1;
}

/** The columns of a payment without one. */
export const unpaid = { paymentBlock: null, paidAt: null, paidAmount: null, paidBy: null };

/** Condition: an order's transaction is kept for it for good. */
export const isProven = sql`exists (select from ${paymentHashes} where ${paymentHashes.orderId} = ${orders.id} and ${paymentHashes.provenAt} is not null)`;

/** Is alone with a transaction until the commit: it pays one order, or is kept for one. */
export async function lockPaymentHash(tx: Tx, hash: Hex): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`cardkeep:payment:${hash}`}, 0))`);
}

/** Whether a transaction's money is another order's: one that it paid, or that it was kept for. */
export async function isOfOtherOrder(tx: Tx, { orderId, hash }: { orderId: string; hash: Hex }): Promise<boolean> {
  const isOther = and(eq(orders.transactionHash, hash), ne(orders.id, orderId), isNotNull(orders.paidAt));
  return (await tx.$count(orders, isOther)) > 0;
}

/** Orders that a transaction was kept for without need forget it, because it pays another one; answers their ids. */
export async function forgetUnusedPayments(
  tx: Tx,
  { orderId, hash, now }: { orderId: string; hash: Hex; now: Date },
): Promise<string[]> {
  const rows = await tx
    .update(orders)
    .set({ ...unpaid, updatedAt: now })
    .where(and(eq(orders.transactionHash, hash), ne(orders.id, orderId), isNotNull(orders.paidAt), not(isProven)))
    .returning({ id: orders.id });
  return rows.map(({ id }) => id);
}

/** A wallet that a user only named does not belong to that user yet. */
const hasSigned = isNotNull(signInWallets.provenAt);

/** Those of the addresses that belong to others than this user: as wallets that signed in, or as Safes. */
export async function listOthersAddresses(
  on: Executor,
  userId: string,
  addresses: readonly Address[],
): Promise<Set<Address>> {
  const of = [...addresses];
  const wallets = await on
    .select({ address: signInWallets.address })
    .from(signInWallets)
    .where(and(inArray(signInWallets.address, of), ne(signInWallets.userId, userId), hasSigned));
  const accounts = await on
    .select({ address: safes.address })
    .from(safes)
    .where(and(inArray(safes.address, of), ne(safes.userId, userId)));
  return new Set([...wallets, ...accounts].map(({ address }) => address));
}

/** Every address of a user: wallets that signed in, and Safes. */
export async function listOwnAddresses(on: Executor, userId: string): Promise<Set<Address>> {
  const wallets = await on
    .select({ address: signInWallets.address })
    .from(signInWallets)
    .where(and(eq(signInWallets.userId, userId), hasSigned));
  const accounts = await on.select({ address: safes.address }).from(safes).where(eq(safes.userId, userId));
  return new Set([...wallets, ...accounts].map(({ address }) => address));
}
