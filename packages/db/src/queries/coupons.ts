/** Coupons. */
import { desc, eq } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { coupons } from "../schema/tables.ts";

export type Coupon = typeof coupons.$inferSelect;

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
