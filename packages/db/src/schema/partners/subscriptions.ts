/** Subscriptions of partners to users' events, and the messages that begin them. */
import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, counter, instant } from "../columns.ts";
import { partners } from "./partners.ts";
import { users } from "../users/users.ts";

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
  (table) => [
    index("subscription_messages_age").on(table.expiresAt),
    index("subscription_messages_user").on(table.userId),
  ],
);

/** A partner receives a user's events. An ended subscription may begin again and continues its sequence. */
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
    /** The gaps of its partner that `lastSequence` is behind. */
    sequenceGaps: counter()
      .notNull()
      .default(sql`0`),
    createdAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex("subscriptions_one").on(table.userId, table.partnerId),
    index("subscriptions_partner").on(table.partnerId),
  ],
);
