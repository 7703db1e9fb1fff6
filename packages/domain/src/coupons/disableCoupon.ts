import { fail } from "@cardkeep/contract/errors";
import { type Coupon, deactivateCoupon } from "@cardkeep/db/queries/coupons";
import type { Services } from "../services.ts";

/** Ends a coupon, its code in any letter case; the same again changes nothing. @throws coupons.not_found */
export async function disableCoupon({ db }: Pick<Services, "db">, { code }: { code: string }): Promise<Coupon> {
  return (await deactivateCoupon(db, code.toUpperCase())) ?? fail("coupons.not_found");
}
