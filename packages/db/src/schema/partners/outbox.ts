import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { counter, instant, requestId } from "../columns.ts";

/** Channel of the notification that follows the commit of a pending event. */
export const outboxChannel = "cardkeep:outbox";

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
    /** Whether it waits for the fan-out. Events of users without subscribers never do. */
    isPending: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index("events_user").on(table.userId, table.createdAt),
    index("events_age").on(table.createdAt),
    index("events_request").on(table.requestId),
    index("events_pending")
      .on(table.sequence)
      .where(sql`${table.isPending}`),
  ],
);
