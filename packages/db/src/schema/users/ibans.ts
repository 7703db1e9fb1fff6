/** IBANs, the money that came in by them, and consents under way. */
import {
  ibanCurrencies,
  type IbanCounterpart,
  ibanOrderKinds,
  ibanOrderStates,
} from "@cardkeep/contract/users/ibanOrders";
import { ibanMachine, type IbanStatus } from "@cardkeep/contract/users/ibans";
import { listStates } from "@cardkeep/contract/core/machine";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { type SQL, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
} from "drizzle-orm/pg-core";
import { address, hex, institution, instant, isOneOf, requestId } from "../columns.ts";
import { users } from "./users.ts";

/** The institution has neither paid the order out nor rejected it. */
export const openIbanOrderStates = ["placed", "pending"] as const satisfies readonly (typeof ibanOrderStates)[number][];

/** Condition: a job opens the IBAN. What waits for the person's consent has none. */
export const isBeingOpened = (table: Record<"status" | "attempt", AnyPgColumn>): SQL =>
  sql`${table.status} = 'PENDING' or (${table.status} = 'NOTSTARTED' and ${table.attempt} is not null)`;

/** One per user, from the first request for an IBAN. A trigger guards the moves of `status`: see `guards.ts`. */
export const ibans = pgTable(
  "ibans",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    id: text().notNull().unique("ibans_id"),
    status: text().$type<IbanStatus>().notNull(),
    /** The Safe that the money goes to, and an owner's signature of the declaration; null before they were given. */
    address: address(),
    signature: hex(),
    /** Our id of the profile that we make at the institution; the same in every try. */
    profileId: text().notNull().unique("ibans_profile_id"),
    /** An older profile of the person, who allowed us to use it. It replaces ours. */
    linkedProfileId: text(),
    institution: institution(),
    /** Id of the present attempt; an answer to another attempt changes nothing. Null: no attempt. */
    attempt: text(),
    /** Encrypted tokens of the consent, kept only until the IBAN is there. */
    sealedToken: text(),
    iban: text().unique("ibans_iban"),
    bic: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    unique("ibans_linked_profile_id").on(table.linkedProfileId, table.institution),
    index("ibans_open").on(table.userId).where(isBeingOpened(table)),
    index("ibans_search")
      .using("gin", table.iban.op("gin_trgm_ops"))
      .where(sql`${table.iban} is not null`),
    index("ibans_sealed")
      .on(table.userId)
      .where(sql`${table.sealedToken} is not null`),
    check("ibans_status", isOneOf(table.status, listStates(ibanMachine))),
    check("ibans_assigned", sql`(${table.status} = 'ASSIGNED') = (${table.iban} is not null)`),
    check(
      "ibans_pending",
      sql`${table.status} not in ('PENDING', 'ASSIGNED') or num_nulls(${table.address}, ${table.signature}) = 0`,
    ),
  ],
);

/** The institution's currencies with a token here. */
export const issuedCurrencies = ["eur", "gbp"] as const;

/** Condition: an incoming order of one of them was paid out, and its mint is neither found nor given up. */
export const isUnmatched = (
  table: Record<"kind" | "state" | "currency" | "mintHash" | "unmatchedAt", AnyPgColumn>,
): SQL =>
  sql`${isOneOf(table.kind, ["issue"])} and ${isOneOf(table.state, ["processed"])} and ${isOneOf(table.currency, issuedCurrencies)}
    and ${table.mintHash} is null and ${table.unmatchedAt} is null`;

/** Orders of the institution that move money, each as its newest report says. */
export const ibanOrders = pgTable(
  "iban_orders",
  {
    /** The institution's id. */
    id: text().notNull(),
    institution: institution(),
    userId: text()
      .notNull()
      .references(() => users.id),
    kind: text().$type<(typeof ibanOrderKinds)[number]>().notNull(),
    currency: text().$type<(typeof ibanCurrencies)[number]>().notNull(),
    /** Decimal, with the digits as reported. */
    amount: numeric().notNull(),
    address: address().notNull(),
    counterpart: jsonb().$type<IbanCounterpart>().notNull(),
    state: text().$type<(typeof ibanOrderStates)[number]>().notNull(),
    memo: text(),
    /** The bank's reference. */
    referenceNumber: text(),
    placedAt: instant().notNull(),
    processedAt: instant(),
    rejectedReason: text(),
    /** The transactions that moved its tokens, as reported. */
    txHashes: jsonb()
      .$type<Hex[]>()
      .notNull()
      .default(sql`'[]'::jsonb`),
    /** The one mint on chain that paid an incoming order: its transaction, and its place among the receipt's logs. */
    mintHash: hex(),
    mintIndex: integer(),
    /** When a case was opened, because no mint is this order's. */
    unmatchedAt: instant(),
    /** The institution's time of the report. An older report changes nothing. */
    reportedAt: instant().notNull(),
    /** When the report was recorded, or its mint was found or given up; null for what 1.1.0 and earlier versions recorded. */
    updatedAt: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.institution] }),
    index("iban_orders_user").on(table.userId, table.placedAt),
    unique("iban_orders_mint").on(table.mintHash, table.mintIndex),
    // The books read by it.
    index("iban_orders_recorded").on(sql`coalesce(${table.updatedAt}, ${table.reportedAt})`),
    // Few: a mint is found within minutes.
    index("iban_orders_unmatched").on(table.id).where(isUnmatched(table)),
    check("iban_orders_matched", sql`num_nulls(${table.mintHash}, ${table.mintIndex}) in (0, 2)`),
    check("iban_orders_kind", isOneOf(table.kind, ibanOrderKinds)),
    check("iban_orders_currency", isOneOf(table.currency, ibanCurrencies)),
    check("iban_orders_state", isOneOf(table.state, ibanOrderStates)),
    check("iban_orders_amount", sql`${table.amount} > 0 and ${table.amount} < 'Infinity'`),
  ],
);

/** In the place of an archived IBAN that the institution had not assigned yet. */
export const awaitedIban = "awaited";

/**
 * IBANs that their people reset here, assigned or awaited, and those of erased people without the IBAN. The institution keeps
 * them: money that arrives by them is still recorded, or is a case.
 */
export const archivedIbans = pgTable(
  "archived_ibans",
  {
    userId: text()
      .notNull()
      .references(() => users.id),
    /** The profile at the institution that the IBAN belonged to. */
    profileId: text().notNull(),
    address: address().notNull(),
    iban: text().notNull(),
    bic: text(),
    archivedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.profileId, table.address] }),
    index("archived_ibans_profile").on(table.profileId),
  ],
);

/** Callbacks that were applied, so that each counts once. */
export const emoneyCallbacks = pgTable(
  "emoney_callbacks",
  {
    /** The institution's `webhook-id`. */
    id: text().notNull(),
    institution: institution(),
    userId: text()
      .notNull()
      .references(() => users.id),
    receivedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.institution] }),
    index("emoney_callbacks_age").on(table.receivedAt),
    // Copies of a person's data read a user's callbacks.
    index("emoney_callbacks_user").on(table.userId),
  ],
);

/** Consents under way. The first request with the state uses it up. */
export const oauthStates = pgTable(
  "oauth_states",
  {
    /** SHA-256 of the state, so that a reader of the table cannot finish another person's consent. */
    stateHash: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** Encrypted. */
    sealedVerifier: text().notNull(),
    /** Where the person goes afterwards; null: a page of ours. */
    callbackUrl: text(),
    expiresAt: instant().notNull(),
  },
  (table) => [index("oauth_states_age").on(table.expiresAt), index("oauth_states_user").on(table.userId)],
);
