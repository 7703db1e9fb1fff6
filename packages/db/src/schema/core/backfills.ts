/** Changes of many rows that belong to a migration: workers make them in batches, beside the service's requests. */
import { sql } from "drizzle-orm";
import { boolean, check, pgTable, text } from "drizzle-orm/pg-core";
import { counter, instant } from "../columns.ts";

export const backfills = pgTable(
  "backfills",
  {
    /** The function of the migration that changes one batch. */
    name: text().primaryKey(),
    /** The last key of the batch before; null before the first one. */
    last: text(),
    /** Rows that were read so far, and about how many there were at the start. */
    rows: counter()
      .notNull()
      .default(sql`0`),
    rowsTotal: counter(),
    isPaused: boolean().notNull().default(false),
    /** Why the last batch failed; null when it did not. */
    failure: text(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [check("backfills_name", sql`${table.name} ~ '^backfill_[a-z0-9_]+$'`)],
);
