/** Partners, their domains and their keys. */
import { type PartnerScope, partnerScopes } from "@cardkeep/contract/core/scopes";
import { sql } from "drizzle-orm";
import { boolean, check, index, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { counter, instant, isOneOf, spell } from "../columns.ts";

/** Positions that a partner may know from a database that went back. Instants are in ISO 8601. */
export interface FeedGap {
  /** The last position before the gap, and the first one behind it. */
  readonly after: number;
  readonly before: number;
  /** Of the newest delivery that the database still knows; null without one. */
  readonly since: string | null;
  readonly until: string;
}

export const partners = pgTable(
  "partners",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** Mail address of the partner, for the mail that its endpoint was disabled. */
    contact: text(),
    webhookUrl: text(),
    /** Thin deliveries name the user and nothing else; the rest is pulled. */
    payload: text().$type<"full" | "thin">().notNull(),
    /** It asked for the kinds of events beyond the published ones too: see `askedEvents`. */
    hasAllEvents: boolean().notNull().default(false),
    webhookStatus: text().$type<"ACTIVE" | "DISABLED">().notNull().default("ACTIVE"),
    /** Why it is disabled. */
    webhookReason: text(),
    /** Since when every attempt failed; null while any succeeds. */
    failingSince: instant(),
    /** No attempt is made before this instant. */
    pausedUntil: instant(),
    /** Of the newest event in its feed. */
    lastPosition: counter()
      .notNull()
      .default(sql`0`),
    /** The database that counts its positions and sequences; null before the first event. See `leaveGaps`. */
    numberedBy: text(),
    /** How many gaps the sequences of its subscriptions got. A subscription gets its own with its next event. */
    sequenceGaps: counter()
      .notNull()
      .default(sql`0`),
    feedGaps: jsonb()
      .$type<readonly FeedGap[]>()
      .notNull()
      .default(sql`'[]'`),
    status: text().$type<"ACTIVE" | "DISABLED">().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    check("partners_payload", isOneOf(table.payload, ["full", "thin"])),
    check("partners_webhook_status", isOneOf(table.webhookStatus, ["ACTIVE", "DISABLED"])),
  ],
);

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

/** API keys of partners, and the secrets that sign deliveries to them. */
export const partnerKeys = pgTable(
  "partner_keys",
  {
    id: text().primaryKey(),
    partnerId: text()
      .notNull()
      .references(() => partners.id),
    kind: text().$type<"api" | "secret">().notNull(),
    /** SHA-256 of an API key; sealed form of a secret, which signatures need whole. */
    value: text().notNull(),
    /** What an API key opens; null: every route of partners. */
    scopes: text().array().$type<PartnerScope[]>(),
    createdAt: instant().notNull(),
    /** Null until a newer key replaces it, unless it was made with an end. */
    expiresAt: instant(),
    /** About the last request with an API key; null before the first. */
    usedAt: instant(),
  },
  (table) => [
    index("partner_keys_partner").on(table.partnerId, table.kind),
    uniqueIndex("partner_keys_api")
      .on(table.value)
      .where(sql`${table.kind} = 'api'`),
    check("partner_keys_scopes", sql`${table.scopes} <@ array[${sql.raw(spell(partnerScopes))}]::text[]`),
  ],
);
