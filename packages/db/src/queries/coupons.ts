/** Coupons. */
import type { Executor } from "../client.ts";
import { coupons } from "../schema/tables.ts";

/** Inserts a coupon; false when the code is taken. */
export async function insertCoupon(on: Executor, row: typeof coupons.$inferInsert): Promise<boolean> {
  const inserted = await on.insert(coupons).values(row).onConflictDoNothing().returning({ code: coupons.code });
  return inserted.length === 1;
}
