/** Partners, the domains their apps sign in from, and the coupons they hand out. */
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

export const partners = pgTable("partners", {
  id: text().primaryKey(),
  name: text().notNull(),
  webhookUrl: text(),
  status: text().$type<"ACTIVE" | "DISABLED">().notNull(),
  createdAt: instant().notNull(),
});

export const partnerDomains = pgTable(
  "partner_domains",
  {
    /** Lower-case `host` or `host:port`, as it stands in a sign-in message. */
    domain: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
  },
  (table) => [index("partner_domains_partner").on(table.partnerId)],
);

export const coupons = pgTable(
  "coupons",
  {
    /** Upper case; codes are case-insensitive. */
    code: text().primaryKey(),
    percent: integer(),
    amountEur: numeric({ precision: 12, scale: 2 }),
    redemptionsMax: integer(),
    redemptions: integer().notNull().default(0),
    expiresAt: instant(),
    active: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    check("coupons_one_discount", sql`num_nonnulls(${table.percent}, ${table.amountEur}) = 1`),
    check("coupons_percent", sql`${table.percent} between 1 and 100`),
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
    redeemedAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.code, table.userId] })],
);
