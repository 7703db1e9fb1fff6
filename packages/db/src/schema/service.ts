/** What the service itself needs: the outbox, idempotent replies, the workers' chores, and the sandbox's clock. */
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { counter, instant, requestId } from "./columns.ts";

/** Outbox: an event is written in the commit of what it reports. */
export const events = pgTable(
  "events",
  {
    id: text().primaryKey(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    userId: text().notNull(),
    requestId: requestId(),
    eventType: text().notNull(),
    data: jsonb().notNull(),
    /** Whether it is still to be fanned out; events that nobody subscribed to never are. */
    isPending: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index("events_user").on(table.userId, table.sequence),
    index("events_age").on(table.createdAt),
    index("events_pending")
      .on(table.sequence)
      .where(sql`${table.isPending}`),
  ],
);

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
});

/** One row, sandbox only: seconds the service is ahead of the wall clock. */
export const clock = pgTable("clock", { id: integer().primaryKey(), offsetSeconds: counter().notNull() });
