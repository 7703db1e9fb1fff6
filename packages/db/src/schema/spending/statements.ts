/** Statements of months that are over, and the rates that they compare a card's rates with. */
import { sql } from "drizzle-orm";
import { check, date, index, integer, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "../columns.ts";
import { users } from "../users/users.ts";

/** The service's role may not change a row: a statement stays as it was made. */
export const statements = pgTable(
  "statements",
  {
    userId: text()
      .notNull()
      .references(() => users.id),
    /** `2026-11`, in the operator's time zone of that time. */
    month: text().notNull(),
    /** JSON as it was made; the other forms are built from it. */
    document: text().notNull(),
    /** SHA-256 of the document. */
    digest: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.month] }),
    check("statements_month", sql`${table.month} ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'`),
  ],
);

/** The volumes of a month with too many lines for one document. The month's own row follows the last of them. */
export const statementVolumes = pgTable(
  "statement_volumes",
  {
    userId: text()
      .notNull()
      .references(() => users.id),
    /** As in `statements`. */
    month: text().notNull(),
    /** From 1 on. */
    volume: integer().notNull(),
    /** The next one begins here; the month's end of the last one. */
    endsAt: instant().notNull(),
    /** JSON as it was made: the statement of the volume's range. */
    document: text().notNull(),
    /** SHA-256 of the document. */
    digest: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.month, table.volume] }),
    check("statement_volumes_month", sql`${table.month} ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'`),
    check("statement_volumes_volume", sql`${table.volume} > 0`),
  ],
);

/** Reference rates that the operator brings in: units of a currency for one euro, on a day. */
export const referenceRates = pgTable(
  "reference_rates",
  {
    currency: text().notNull(),
    day: date({ mode: "string" }).notNull(),
    rate: numeric().notNull(),
    /** Who published it, such as `ECB`. */
    source: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.currency, table.day] }),
    index("reference_rates_day").on(table.day),
    check("reference_rates_rate", sql`${table.rate} > 0 and ${table.rate} < 'Infinity'`),
  ],
);
