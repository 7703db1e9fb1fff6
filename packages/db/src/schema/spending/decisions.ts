import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { cents, instant } from "../columns.ts";

/**
 * Decisions: one row for each request of the issuer about a payment, its first one and each increment.
 *
 * A request that comes again finds its row and gets the same answer. The row is written in the commit of its payment, on the
 * way of each use of a card, so it has no reference that Postgres would have to check.
 */
export const cardDecisions = pgTable(
  "card_decisions",
  {
    paymentId: text().notNull(),
    /** How many requests of the thread the issuer had decided before this one. */
    ordinal: integer().notNull(),
    userId: text().notNull(),
    /** In the card's currency: what the request asked for in addition, and what was approved of it. */
    askedCents: cents().notNull(),
    approvedCents: cents().notNull(),
    /** Of what was asked, the fee of the cash machine's owner, and cash beside a purchase. */
    feeCents: cents().notNull(),
    cashbackCents: cents().notNull(),
    isApproved: boolean().notNull(),
    /** `approved`, or the code of the decline. */
    reason: text().notNull(),
    /** Whether the issuer decided without us. */
    isByIssuer: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.paymentId, table.ordinal, table.userId] }),
    // Windows of rules count an increment at its own instant. First decisions, which are nearly all, are not in it.
    index("card_decisions_increments")
      .on(table.userId, table.createdAt)
      .where(sql`${table.ordinal} > 0`),
    check(
      "card_decisions_amounts",
      sql`${table.ordinal} >= 0 and ${table.approvedCents} >= 0 and (${table.isApproved} or ${table.approvedCents} = 0)`,
    ),
  ],
);
