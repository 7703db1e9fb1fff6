import { fail } from "@cardkeep/contract/errors";
import { insertCoupon } from "@cardkeep/db/queries/coupons";
import type { Services } from "../context.ts";

export interface NewCoupon {
  code: string;
  percent?: number | undefined;
  /** Decimal EUR. */
  amount?: string | undefined;
  maxRedemptions?: number | undefined;
  expiresAt?: Date | undefined;
}

/** Makes a coupon of a percentage or of an amount. @throws coupons.invalid_discount, coupons.taken */
export async function createCoupon(
  { db, clock }: Pick<Services, "db" | "clock">,
  { code, percent, amount, maxRedemptions, expiresAt }: NewCoupon,
): Promise<{ code: string }> {
  if ((percent === undefined) === (amount === undefined) || Number(amount ?? 1) <= 0) fail("coupons.invalid_discount");
  const upperCase = code.toUpperCase();
  const isNew = await insertCoupon(db, {
    code: upperCase,
    percent: percent ?? null,
    amountEur: amount ?? null,
    redemptionsMax: maxRedemptions ?? null,
    expiresAt: expiresAt ?? null,
    active: true,
    createdAt: await clock.now(db),
  });
  if (!isNew) fail("coupons.taken");
  return { code: upperCase };
}
