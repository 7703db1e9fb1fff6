/** Budgets of requests, shared by every server. */
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

export const rateLimits = pgTable(
  "rate_limits",
  {
    /** The budget's name and whose it is: a user, a wallet or a network. */
    key: text().primaryKey(),
    /** Requests that servers were granted in this window, whether or not they came. */
    granted: integer().notNull(),
    /** The newest grant alone. */
    lastGrant: integer().notNull(),
    endsAt: instant().notNull(),
  },
  (table) => [index("rate_limits_end").on(table.endsAt)],
);
