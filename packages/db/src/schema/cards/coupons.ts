/** Coupons, and which order each was redeemed for. */
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "../columns.ts";
import { orders } from "./orders.ts";

export const coupons = pgTable(
  "coupons",
  {
    /** Upper case; codes are case-insensitive. */
    code: text().primaryKey(),
    percent: integer(),
    amountEur: numeric({ precision: 12, scale: 2 }),
    redemptionsMax: integer(),
    /** Orders of one user that it may lower; null for any number. */
    perUserMax: integer(),
    redemptions: integer().notNull().default(0),
    expiresAt: instant(),
    active: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    check("coupons_one_discount", sql`num_nonnulls(${table.percent}, ${table.amountEur}) = 1`),
    check("coupons_percent", sql`${table.percent} between 1 and 100`),
    check("coupons_per_user", sql`${table.perUserMax} >= 1`),
    check("coupons_amount", sql`${table.amountEur} > 0`),
    check(
      "coupons_redemptions",
      sql`${table.redemptions} between 0 and coalesce(${table.redemptionsMax}, ${table.redemptions})`,
    ),
  ],
);

export const couponRedemptions = pgTable(
  "coupon_redemptions",
  {
    code: text()
      .notNull()
      .references(() => coupons.code),
    userId: text().notNull(),
    /** The order that it lowers; given up, the coupon is free again. */
    orderId: text()
      .notNull()
      .references(() => orders.id),
    redeemedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orderId, table.code] }),
    index("coupon_redemptions_user").on(table.userId, table.code),
  ],
);
