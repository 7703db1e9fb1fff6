/** Coupons, and which order each was redeemed for. */
import { and, asc, desc, eq, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { couponRedemptions, coupons } from "../../schema/tables.ts";

export type Coupon = typeof coupons.$inferSelect;
export type CouponRedemption = typeof couponRedemptions.$inferSelect;

/** Coupons, newest first. */
export async function listCoupons(on: Executor, limit: number): Promise<Coupon[]> {
  return on.select().from(coupons).orderBy(desc(coupons.createdAt), desc(coupons.code)).limit(limit);
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

/**
 * Redeems a coupon that holds at `redeemedAt`, and answers it; null when it does not, or none is left.
 *
 * The count goes up in the one statement that looks at it, so there are never more than there may be.
 */
export async function redeemCoupon(tx: Tx, redemption: CouponRedemption): Promise<Coupon | null> {
  const { code, redeemedAt } = redemption;
  const [coupon] = await tx
    .update(coupons)
    .set({ redemptions: sql`${coupons.redemptions} + 1` })
    .where(
      and(
        eq(coupons.code, code),
        eq(coupons.active, true),
        or(isNull(coupons.expiresAt), gt(coupons.expiresAt, redeemedAt)),
        or(isNull(coupons.redemptionsMax), lt(coupons.redemptions, coupons.redemptionsMax)),
      ),
    )
    .returning();
  if (!coupon) return null;
  await tx.insert(couponRedemptions).values(redemption);
  return coupon;
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
