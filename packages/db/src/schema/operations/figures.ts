/**
 * Figures of the programme: what people did on each day, as counts and sums. No page counts the rows of a day.
 *
 * A worker counts each day that is over once, and the present one again and again.
 */
import { date, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { amount, counter, instant } from "../columns.ts";

export const dayFigures = pgTable(
  "day_figures",
  {
    /** A day of the programme, by the time zone of its statements. */
    day: date({ mode: "string" }).notNull(),
    /** What is counted: `signUps`, `declined`, `withdrawn`. */
    name: text().notNull(),
    /** Of what: a currency, a token, the reason of a decline. Empty where a figure has no parts. */
    part: text().notNull(),
    count: counter().notNull(),
    /** Cents of the currency, or base units of the token; 0 where only a count is known. */
    amount: amount().notNull(),
    /** When its day was read. The day is final once that is long enough behind its end. */
    countedAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name, table.part] })],
);
