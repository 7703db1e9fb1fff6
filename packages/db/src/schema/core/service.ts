/** What the service itself needs: idempotent replies, request quotas, the chores of workers, and the clock of the sandbox. */
import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { counter, instant } from "../columns.ts";

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    /** User, method and path: a key means something only within it. */
    scope: text().notNull(),
    key: text().notNull(),
    bodyHash: text().notNull(),
    status: integer().notNull(),
    reply: jsonb().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.key] }), index("idempotency_keys_age").on(table.createdAt)],
);

/** When workers last did each chore, by the database's clock. */
export const chores = pgTable("chores", {
  name: text().primaryKey(),
  /** The first start of a worker that knows the chore. */
  startedAt: instant().notNull(),
  /** The end of the last run that did not fail; null before the first. */
  succeededAt: instant(),
  /** The worker of that run: the name that its connections have. */
  worker: text(),
});

/** One row, sandbox only: seconds the service is ahead of the wall clock. */
export const clock = pgTable("clock", { id: integer().primaryKey(), offsetSeconds: counter().notNull() });

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
