import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { cents, instant, isOneOf } from "../columns.ts";

export const standInDecisions = ["APPROVED", "DECLINED"] as const;
export type StandInDecision = (typeof standInDecisions)[number];

/** Stand-ins: payments of which the issuer decided a request by itself, because it had no valid answer of ours in time. */
export const cardStandIns = pgTable(
  "card_stand_ins",
  {
    paymentId: text().primaryKey(),
    userId: text().notNull(),
    /** APPROVED where the issuer approved any request of the payment so. */
    decision: text().$type<StandInDecision>().notNull(),
    /** What the issuer approved so, in minor units of `currency`. */
    approvedCents: cents().notNull(),
    /** The part of it that the service had not approved. */
    aloneCents: cents().notNull(),
    /** ISO 4217. */
    currency: text().notNull(),
    /** The issuer's reason, of its first decision of that kind. */
    reason: text().notNull(),
    /** When the issuer decided that one, by its clock. */
    decidedAt: instant().notNull(),
    /** When the decision was known here. */
    createdAt: instant().notNull(),
  },
  (table) => [
    index("card_stand_ins_user").on(table.userId, table.decidedAt),
    check("card_stand_ins_decision", isOneOf(table.decision, standInDecisions)),
    check("card_stand_ins_amount", sql`${table.aloneCents} between 0 and ${table.approvedCents}`),
  ],
);
