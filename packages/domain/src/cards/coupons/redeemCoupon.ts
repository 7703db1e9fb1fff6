import { type Coupon, insertRedemption, listRedemptions, lockCoupon } from "@cardkeep/db/queries/cards/coupons";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import type { Services } from "../../core/services.ts";
import type { Work } from "../../core/context.ts";

/** Why a coupon is not redeemed. */
export type CouponError = "coupons.invalid" | "coupons.already_used";

/**
 * Redeems a coupon for an order in the caller's commit, behind the user's row lock, and answers what it takes off, in
 * cents, or why it takes nothing off.
 *
 * For the same order again it is the same redemption. The operator's free code needs no coupon, and one user may use it
 * for any number of orders; where there is a coupon of that code, its other limits count.
 */
export async function redeemCoupon(
  { policy }: Pick<Services, "policy">,
  { tx, now }: Work,
  { id: orderId, userId, totalEurCents, discountEurCents }: Order,
  code: string,
): Promise<bigint | CouponError> {
  const isFreeCode = code === policy.freeCouponCode;
  const redeemed = await listRedemptions(tx, code, userId);
  if (redeemed.some((redemption) => redemption.orderId === orderId)) return discountEurCents;
  const coupon = await lockCoupon(tx, code);
  if (coupon === null) return isFreeCode ? totalEurCents : "coupons.invalid";
  if (!coupon.active || (coupon.expiresAt !== null && coupon.expiresAt <= now)) return "coupons.invalid";
  const perUserMax = isFreeCode ? null : coupon.perUserMax;
  if (perUserMax !== null && redeemed.length >= perUserMax) return "coupons.already_used";
  if (coupon.redemptionsMax !== null && coupon.redemptions >= coupon.redemptionsMax) return "coupons.already_used";
  await insertRedemption(tx, { code, userId, orderId, redeemedAt: now });
  return computeDiscount(coupon, totalEurCents);
}

/** The discount of a coupon on a total, in cents and at most the total; half a cent is rounded up. */
function computeDiscount({ percent, amountEur }: Coupon, totalCents: bigint): bigint {
  const discount = percent === null ? parseCents(amountEur ?? "0") : (totalCents * BigInt(percent) + 50n) / 100n;
  return discount < totalCents ? discount : totalCents;
}

/** Decimal text with at most two decimals as cents. */
function parseCents(text: string): bigint {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole) * 100n + BigInt(decimals.padEnd(2, "0"));
}
