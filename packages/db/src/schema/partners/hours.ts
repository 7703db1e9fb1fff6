/**
 * Counts by hour, for the operator's pictures: no page counts the rows of a day.
 *
 * - decision hour: answers to the card issuer, with how long they took. - delivery hour: attempts at a partner's endpoint.
 */
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { counter, instant } from "../columns.ts";

/** Upper bounds of decision times in milliseconds; a longer one has the last. */
export const decisionMsBounds = [
  5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 450, 500, 1_000, 2_000, 10_000,
] as const;

/** The issuer decided without us, in no time of ours. */
export const issuerMsMax = 0;

/** Every server adds what it answered, every few seconds, and a worker each decline of the issuer's own. A killed one loses its last ones. */
export const decisionHours = pgTable(
  "decision_hours",
  {
    hour: instant().notNull(),
    /** `approved`, or the code of the decline. */
    reason: text().notNull(),
    /** One of `decisionMsBounds`, or `issuerMsMax`. */
    msMax: integer().notNull(),
    count: counter().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.reason, table.msMax] })],
);

/** Written in the commit that records the attempts. */
export const deliveryHours = pgTable(
  "delivery_hours",
  {
    partnerId: text().notNull(),
    hour: instant().notNull(),
    succeeded: counter().notNull(),
    failed: counter().notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.hour] }), index("delivery_hours_age").on(table.hour)],
);
