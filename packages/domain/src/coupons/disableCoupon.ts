import { fail } from "@cardkeep/contract/errors";
import { type Coupon, deactivateCoupon } from "@cardkeep/db/queries/coupons";
import type { OperatorContext } from "../context.ts";

/** Ends a coupon, its code in any letter case; the same again changes nothing. @throws coupons.not_found */
export async function disableCoupon(ctx: OperatorContext, { code }: { code: string }): Promise<Coupon> {
  return (await ctx.commit(({ tx }) => deactivateCoupon(tx, code.toUpperCase()))) ?? fail("coupons.not_found");
}
