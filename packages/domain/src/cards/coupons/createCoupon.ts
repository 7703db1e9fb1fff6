import { fail } from "@cardkeep/contract/core/errors";
import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import {
  type Coupon,
  deactivateCoupon,
  findCoupon,
  insertCoupon,
  listCoupons as listRows,
} from "@cardkeep/db/queries/cards/coupons";
import { z } from "zod";
import type { OperatorContext } from "../../core/context.ts";
import { withPoint } from "../../core/readAmount.ts";
import type { Services } from "../../core/services.ts";

/** The largest number of the column. */
const redemptionsMax = 2_147_483_647;

/** The input of a new coupon; `amount` is decimal EUR, `perUser` orders of one user, one unless given. */
export const newCoupon = z.object({
  code: z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _"),
  percent: z.int().min(1).max(100).optional(),
  amount: z
    .union([z.string().transform(withPoint), z.number().transform(String)])
    .pipe(z.string().regex(/^\d{1,9}(\.\d{1,2})?$/, "must be decimal EUR with a point before the cents, such as 12.50"))
    .optional(),
  maxRedemptions: z.int().min(1).max(redemptionsMax).optional(),
  perUser: z
    .union([
      z.int().min(1).max(redemptionsMax),
      z.literal("unlimited"),
      z
        .string()
        .regex(/^[1-9]\d{0,8}$/, "must be a number above zero, or unlimited")
        .transform(Number),
    ])
    .optional(),
  expiresAt: givenInstant()
    .transform((text) => new Date(text))
    .optional(),
});
export type NewCoupon = z.output<typeof newCoupon>;

/** Makes a coupon of a percentage or of an amount. @throws coupons.invalid_discount, coupons.taken */
export async function createCoupon(
  ctx: OperatorContext,
  { code, percent, amount, maxRedemptions, perUser = 1, expiresAt }: NewCoupon,
): Promise<Coupon> {
  if ((percent === undefined) === (amount === undefined) || Number(amount ?? 1) <= 0) fail("coupons.invalid_discount");
  return ctx.act("coupons.create", async ({ tx, now }) => {
    const coupon = await insertCoupon(tx, {
      code: code.toUpperCase(),
      percent: percent ?? null,
      amountEur: amount ?? null,
      redemptionsMax: maxRedemptions ?? null,
      perUserMax: perUser === "unlimited" ? null : perUser,
      expiresAt: expiresAt ?? null,
      active: true,
      createdAt: now,
    });
    if (!coupon) fail("coupons.taken");
    return {
      output: coupon,
      subject: { kind: "coupon", id: coupon.code },
      before: null,
      after: {
        percent: coupon.percent,
        amountEur: coupon.amountEur,
        redemptionsMax: coupon.redemptionsMax,
        perUserMax: coupon.perUserMax,
        expiresAt: coupon.expiresAt?.toISOString() ?? null,
      },
    };
  });
}

/** Ends a coupon, its code in any letter case; the same again changes nothing. @throws coupons.not_found */
export async function disableCoupon(ctx: OperatorContext, { code }: { code: string }): Promise<Coupon> {
  const id = code.toUpperCase();
  return ctx.act("coupons.disable", async ({ tx }) => {
    const before = (await findCoupon(tx, id)) ?? fail("coupons.not_found");
    const output = (await deactivateCoupon(tx, id)) ?? fail("coupons.not_found");
    return {
      output,
      subject: { kind: "coupon", id },
      before: { active: before.active },
      after: { active: output.active },
    };
  });
}

/** Coupons, newest first. */
export const listCoupons = (
  { db }: Pick<Services, "db">,
  { after = null, limit }: { after?: string | null; limit: number },
): Promise<Coupon[]> => listRows(db, { after, limit });
