/** Events on their way to partners, and the log of attempts. */
import { listStates } from "@cardkeep/contract/core/machine";
import { deliveryMachine, type DeliveryStatus } from "@cardkeep/contract/partners/deliveries";
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { counter, instant, isOneOf } from "../columns.ts";
import { events } from "./outbox.ts";
import { partners } from "./partners.ts";
import { subscriptions } from "./subscriptions.ts";

/** An event on its way to a partner, without the event's data. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
    subscriptionId: text()
      .notNull()
      .references(() => subscriptions.id),
    eventId: text()
      .notNull()
      .references(() => events.id),
    /**
     * Numbers within the subscription and within the partner's feed, both without gaps. The counters `last_sequence` and
     * `last_position` of subscription and partner give out each number once.
     */
    sequence: counter().notNull(),
    position: counter().notNull(),
    status: text().$type<DeliveryStatus>().notNull(),
    attempts: integer().notNull(),
    /** Attempts before the present schedule. A replay begins a new schedule. */
    scheduleFrom: integer().notNull(),
    nextAttemptAt: instant().notNull(),
    createdAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    index("deliveries_sequence").on(table.subscriptionId, table.sequence),
    index("deliveries_position").on(table.partnerId, table.position),
    index("deliveries_due")
      .on(table.partnerId, table.nextAttemptAt, table.position)
      .where(sql`${table.status} = 'PENDING'`),
    // Of one partner: its log, its backlog, and what is resent.
    index("deliveries_undelivered_partner")
      .on(table.partnerId, table.status, table.createdAt)
      .where(isOneOf(table.status, ["FAILED", "CANCELLED", "KEPT"])),
    index("deliveries_undelivered")
      .on(table.status, table.createdAt)
      .where(isOneOf(table.status, ["FAILED", "CANCELLED", "KEPT"])),
    index("deliveries_age").on(table.createdAt),
    index("deliveries_event").on(table.eventId),
    check("deliveries_status", isOneOf(table.status, listStates(deliveryMachine))),
  ],
);

/** The log of attempts. */
export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    deliveryId: text().notNull(),
    attempt: integer().notNull(),
    at: instant().notNull(),
    /** HTTP status of the answer; null without an answer. */
    status: integer(),
    error: text(),
    durationMs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.attempt] }), index("delivery_attempts_age").on(table.at)],
);
