/** What clients encrypt for the worker alone, and the keys that they do it with. */
import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { instant, isOneOf, requestId } from "../columns.ts";
import { users } from "../users/users.ts";
import { cards, cardIssues } from "./cards.ts";

/** Result of opening an envelope. */
export const envelopeOutcomes = ["matched", "unreadable", "check_digit", "unknown", "void"] as const;

export type EnvelopeOutcome = (typeof envelopeOutcomes)[number];

/** Data that clients encrypted for the worker alone: a card's number, or the PIN of a new card. Emptied when opened. */
export const cardEnvelopes = pgTable(
  "card_envelopes",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** With a PIN: the card to be that gets it. */
    issueId: text()
      .unique("card_envelopes_issue_id")
      .references(() => cardIssues.id),
    encryptedKey: text(),
    encryptedData: text(),
    iv: text(),
    outcome: text().$type<EnvelopeOutcome>(),
    cardId: text().references(() => cards.id),
    requestId: requestId(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index("card_envelopes_age").on(table.createdAt),
    index("card_envelopes_user").on(table.userId),
    index("card_envelopes_open")
      .on(table.id)
      .where(sql`${table.outcome} is null`),
    check("card_envelopes_outcome", isOneOf(table.outcome, envelopeOutcomes)),
    check(
      "card_envelopes_emptied",
      sql`num_nonnulls(${table.encryptedKey}, ${table.encryptedData}, ${table.iv}) = case when ${table.outcome} is null then 3 else 0 end`,
    ),
  ],
);

/** Public halves of keys whose private halves only the worker holds. */
export const publishedKeys = pgTable("published_keys", {
  name: text().primaryKey(),
  /** SPKI DER in base64. */
  publicKey: text().notNull(),
  updatedAt: instant().notNull(),
});
