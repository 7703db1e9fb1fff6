/** The domains of partners, their keys, subscriptions and deliveries. */
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, counter, instant, isOneOf } from "./columns.ts";
import { events } from "./service.ts";
import { users } from "./users.ts";
import { partners } from "./partners.ts";

export const partnerDomains = pgTable(
  "partner_domains",
  {
    /** Lower-case `host` or `host:port`, as it stands in a sign-in message. */
    domain: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
  },
  (table) => [index("partner_domains_partner").on(table.partnerId)],
);

/** What a partner proves itself with, or what deliveries to it are signed with. */
export const partnerKeys = pgTable(
  "partner_keys",
  {
    id: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
    kind: text().$type<"api" | "secret">().notNull(),
    /** Of an API key its SHA-256; of a secret, which signatures need whole, its sealed form. */
    value: text().notNull(),
    createdAt: instant().notNull(),
    /** Null until a newer one takes its place. */
    expiresAt: instant(),
  },
  (table) => [
    index("partner_keys_partner").on(table.partnerId, table.kind),
    uniqueIndex("partner_keys_api")
      .on(table.value)
      .where(sql`${table.kind} = 'api'`),
  ],
);

/** Messages that were issued for a wallet to sign. */
export const subscriptionMessages = pgTable(
  "subscription_messages",
  {
    nonce: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
    userId: text()
      .notNull()
      .references(() => users.id),
    walletAddress: address().notNull(),
    message: text().notNull(),
    expiresAt: instant().notNull(),
    usedAt: instant(),
  },
  (table) => [index("subscription_messages_age").on(table.expiresAt)],
);

/** That a partner receives a user's events; one that ended may begin again, and goes on counting. */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** Who signed for it. */
    walletAddress: address().notNull(),
    /** Of its newest delivery. */
    lastSequence: counter().notNull(),
    createdAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex("subscriptions_one").on(table.userId, table.partnerId),
    index("subscriptions_partner").on(table.partnerId),
  ],
);

export const deliveryStatuses = ["PENDING", "DELIVERED", "FAILED", "CANCELLED", "KEPT"] as const;

/** An event on its way to a partner; it carries none of the event's data. KEPT ones wait to be pulled. */
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
    /** Within its subscription, and within the partner's feed, both without gaps. */
    sequence: counter().notNull(),
    position: counter().notNull(),
    status: text().$type<(typeof deliveryStatuses)[number]>().notNull(),
    attempts: integer().notNull(),
    /** Attempts before its schedule last began: a replay begins it anew. */
    scheduleFrom: integer().notNull(),
    nextAttemptAt: instant().notNull(),
    createdAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex("deliveries_sequence").on(table.subscriptionId, table.sequence),
    uniqueIndex("deliveries_position").on(table.partnerId, table.position),
    index("deliveries_due")
      .on(table.partnerId, table.nextAttemptAt)
      .where(sql`${table.status} = 'PENDING'`),
    index("deliveries_failed")
      .on(table.partnerId)
      .where(sql`${table.status} = 'FAILED'`),
    index("deliveries_age").on(table.createdAt),
    index("deliveries_event").on(table.eventId),
    check("deliveries_status", isOneOf(table.status, deliveryStatuses)),
  ],
);

/** The log: how each attempt went. */
export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    deliveryId: text().notNull(),
    attempt: integer().notNull(),
    at: instant().notNull(),
    /** What the endpoint answered; null where nothing came back. */
    status: integer(),
    error: text(),
    durationMs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.attempt] }), index("delivery_attempts_age").on(table.at)],
);
