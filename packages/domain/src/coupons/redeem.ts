import { type Coupon, findCoupon, findRedemption, redeemCoupon } from "@cardkeep/db/queries/coupons";
import type { Order } from "@cardkeep/db/queries/orders";
import type { Services, Work } from "../context.ts";

/**
 * Redeems a coupon for an order in the caller's commit, behind the user's row lock, and answers what it takes off, in
 * cents; null when it is not valid, or the user has used it up.
 *
 * For the same order again it is the same redemption. The operator's free code needs no coupon, and is never used up by
 * one user; where there is a coupon of that code, its limits count.
 */
export async function redeem(
  { rules }: Pick<Services, "rules">,
  { tx, now }: Work,
  { id: orderId, userId, totalEurCents, discountEurCents }: Order,
  code: string,
): Promise<bigint | null> {
  const isFreeCode = code === rules.freeCouponCode;
  const redeemed = await findRedemption(tx, code, userId);
  if (redeemed?.orderId === orderId) return discountEurCents;
  if (redeemed && !isFreeCode) return null;
  const coupon = await redeemCoupon(tx, { code, userId, orderId, redeemedAt: now });
  if (coupon) return discountOf(coupon, totalEurCents);
  return isFreeCode && (await findCoupon(tx, code)) === null ? totalEurCents : null;
}

/** What a coupon takes off a total, in cents and never more than all of it; half a cent is rounded up. */
function discountOf({ percent, amountEur }: Coupon, totalCents: bigint): bigint {
  const discount = percent === null ? parseCents(amountEur ?? "0") : (totalCents * BigInt(percent) + 50n) / 100n;
  return discount < totalCents ? discount : totalCents;
}

/** Decimal text with at most two decimals as cents. */
function parseCents(text: string): bigint {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole) * 100n + BigInt(decimals.padEnd(2, "0"));
}
