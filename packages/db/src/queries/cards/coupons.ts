/** Coupons, and which order each was redeemed for. */
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { couponRedemptions, coupons } from "../../schema/tables.ts";

export type Coupon = typeof coupons.$inferSelect;
export type CouponRedemption = typeof couponRedemptions.$inferSelect;

/** Coupons, newest first. */
export async function listCoupons(
  on: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<Coupon[]> {
  const last = on
    .select({ at: coupons.createdAt, code: coupons.code })
    .from(coupons)
    .where(eq(coupons.code, after ?? ""));
  const isLater = after === null ? undefined : sql`(${coupons.createdAt}, ${coupons.code}) < (${last})`;
  return on.select().from(coupons).where(isLater).orderBy(desc(coupons.createdAt), desc(coupons.code)).limit(limit);
}

/** Ends the redemptions of an upper-case code; null when there is no such coupon. */
export async function deactivateCoupon(on: Executor, code: string): Promise<Coupon | null> {
  const [row] = await on.update(coupons).set({ active: false }).where(eq(coupons.code, code)).returning();
  return row ?? null;
}

/** Inserts a coupon; null when the code is taken. */
export async function insertCoupon(on: Executor, row: typeof coupons.$inferInsert): Promise<Coupon | null> {
  const [inserted] = await on.insert(coupons).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

export async function findCoupon(on: Executor, code: string): Promise<Coupon | null> {
  const [row] = await on.select().from(coupons).where(eq(coupons.code, code)).limit(1);
  return row ?? null;
}

/** The orders of a user that a coupon was redeemed for. */
export async function listRedemptions(on: Executor, code: string, userId: string): Promise<CouponRedemption[]> {
  return on
    .select()
    .from(couponRedemptions)
    .where(and(eq(couponRedemptions.code, code), eq(couponRedemptions.userId, userId)));
}

/** A coupon, whose row stays locked until the commit, so that its count is right when it is redeemed. */
export async function lockCoupon(tx: Tx, code: string): Promise<Coupon | null> {
  const [row] = await tx.select().from(coupons).where(eq(coupons.code, code)).for("update");
  return row ?? null;
}

/** Records that a locked coupon is redeemed once more. */
export async function insertRedemption(tx: Tx, redemption: CouponRedemption): Promise<void> {
  const taken = { redemptions: sql`${coupons.redemptions} + 1` };
  await tx.update(coupons).set(taken).where(eq(coupons.code, redemption.code));
  await tx.insert(couponRedemptions).values(redemption);
}

/** The coupons that lower an order. */
export async function listOrderRedemptions(on: Executor, orderId: string): Promise<CouponRedemption[]> {
  return on.select().from(couponRedemptions).where(eq(couponRedemptions.orderId, orderId));
}

/** Gives back what was redeemed for an order. */
export async function releaseCoupons(tx: Tx, orderId: string): Promise<void> {
  const redeemed = await tx
    .delete(couponRedemptions)
    .where(eq(couponRedemptions.orderId, orderId))
    .returning({ code: couponRedemptions.code });
  const isRedeemed = inArray(
    coupons.code,
    redeemed.map(({ code }) => code),
  );
  // Locked in one order, so that two who give back the same ones do not wait for each other.
  await tx.select().from(coupons).where(isRedeemed).orderBy(asc(coupons.code)).for("update");
  await tx
    .update(coupons)
    .set({ redemptions: sql`${coupons.redemptions} - 1` })
    .where(isRedeemed);
}
