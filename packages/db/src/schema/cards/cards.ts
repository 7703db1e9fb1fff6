/** Cards, their issues at the issuer, and the issuer's callbacks. No table holds a card's number or PIN in the clear. */
import {
  type CardholderStatus,
  cardholderStatuses,
  cardMachine,
  type CardStatus,
  endedCardStatuses,
  type IssuerStatus,
  issuerStatuses,
  type ShippingStatus,
  shippingStatuses,
} from "@cardkeep/contract/cards/cards";
import { listStates } from "@cardkeep/contract/core/machine";
import { type SQL, sql, type SQLWrapper } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { instant, isNoneOf, isOneOf, issuer, requestId } from "../columns.ts";
import { orders } from "./orders.ts";
import { safes } from "../accounts/safes.ts";
import { users } from "../users/users.ts";

/** Controls at the issuer as a row keeps them: amounts are decimal strings of cents. */
export interface StoredIssuerControls {
  digest: string | null;
  isClosed: boolean;
  blockedMccs: string[];
  countries: { list: "allowed" | "blocked"; codes: string[] } | null;
  blockedPresences: ("present" | "not_present")[];
  limits: { window: "payment" | "day" | "week" | "month" | "always"; cents: string }[];
}

/** Condition: the issuer does not have the status of a card or a person yet, or a call about it may still arrive. */
export const isBehindAtIssuer = (
  table: Record<"issuerStatus" | "issuerSyncedStatus" | "issuerCallEndsAt", SQLWrapper>,
): SQL => sql`${table.issuerStatus} <> ${table.issuerSyncedStatus} or ${table.issuerCallEndsAt} is not null`;

/** Condition: the same of a person, or the issuer does not have the person's details yet. */
export const isPersonBehindAtIssuer = (
  table: Parameters<typeof isBehindAtIssuer>[0] & Record<"issuerDetails" | "issuerSyncedDetails", SQLWrapper>,
): SQL => sql`${isBehindAtIssuer(table)} or ${table.issuerDetails} is distinct from ${table.issuerSyncedDetails}`;

/** A trigger guards the moves of `status_code`: see `guards.ts`. */
export const cards = pgTable(
  "cards",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** The Safe whose money it spends. */
    safeId: text()
      .notNull()
      .references(() => safes.id),
    /** None for a virtual card that was asked for without an order. */
    orderId: text()
      .unique("cards_order_id")
      .references(() => orders.id),
    /** The issuer's id of the card. */
    cardToken: text().notNull(),
    issuer: issuer(),
    lastFourDigits: text().notNull(),
    embossedName: text(),
    virtual: boolean().notNull(),
    statusCode: text().$type<CardStatus>().notNull(),
    activatedAt: instant(),
    /** End of its last month. */
    expiresAt: instant().notNull(),
    shippingStatus: text().$type<ShippingStatus>(),
    /** The issuer's newest sign that the card's details are in other hands, in its word, and since when; null for none. */
    fraudWarningType: text(),
    fraudWarnedAt: instant(),
    /** The status that the issuer shall have, and the one synced last. A job brings the second to the first. */
    issuerStatus: text().$type<IssuerStatus>().notNull(),
    issuerSyncedStatus: text().$type<IssuerStatus>().notNull(),
    /**
     * Digest of the controls that the issuer shall have, and of those synced last; null for none. A job brings the second to
     * the first.
     */
    issuerControls: text(),
    issuerSyncedControls: text(),
    /**
     * Until then a call that sets the status may still reach the issuer, and no other call is sent. A past instant means that
     * the status at the issuer is unknown. Null where the last call was answered.
     */
    issuerCallEndsAt: instant(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    unique("cards_card_token").on(table.cardToken, table.issuer),
    index("cards_user").on(table.userId, table.createdAt),
    index("cards_safe").on(table.safeId),
    index("cards_last_four").on(table.lastFourDigits, table.createdAt),
    index("cards_request").on(table.requestId),
    index("cards_status").on(table.statusCode, table.id),
    index("cards_expiry").on(table.expiresAt).where(isNoneOf(table.statusCode, endedCardStatuses)),
    index("cards_to_sync").on(table.id).where(isBehindAtIssuer(table)),
    // Figures count the people whose first card became active on a day.
    index("cards_activated")
      .on(table.activatedAt)
      .where(sql`${table.activatedAt} is not null`),
    index("cards_controls_to_sync")
      .on(table.id)
      .where(sql`${table.issuerControls} is distinct from ${table.issuerSyncedControls}`),
    check("cards_status_code", isOneOf(table.statusCode, listStates(cardMachine))),
    check("cards_shipping_status", isOneOf(table.shippingStatus, shippingStatuses)),
    check("cards_issuer_status", isOneOf(table.issuerStatus, issuerStatuses)),
    check("cards_issuer_synced_status", isOneOf(table.issuerSyncedStatus, issuerStatuses)),
    check("cards_last_four", sql`${table.lastFourDigits} ~ '^[0-9]{4}$'`),
    check(
      "cards_virtual",
      sql`not ${table.virtual} or (${table.activatedAt} is not null and ${table.shippingStatus} is null)`,
    ),
    check("cards_ended", sql`${isNoneOf(table.statusCode, endedCardStatuses)} or ${table.issuerStatus} = 'canceled'`),
  ],
);

/** People as the issuer knows them. */
export const cardholders = pgTable(
  "cardholders",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    issuerId: text().notNull(),
    issuer: issuer(),
    /** What the issuer last reported; null before its first report. */
    status: text(),
    /** Why the issuer declines all cards of this person, in the issuer's word. */
    disabledReason: text(),
    /** The fields that the issuer misses, in its names, separated by commas. */
    pastDue: text(),
    reportedAt: instant(),
    /** The status that the issuer should have of this person; a job sets it. */
    issuerStatus: text().$type<CardholderStatus>().notNull().default("active"),
    /** The status that the issuer is known to have. */
    issuerSyncedStatus: text().$type<CardholderStatus>().notNull().default("active"),
    /** Digest of the details that the issuer should have, and of those that it is known to have; null: not known. */
    issuerDetails: text(),
    issuerSyncedDetails: text(),
    /** Digest of the last details that the issuer refused. They are not sent again. */
    issuerRefusedDetails: text(),
    /** Until then a call that sets the status or the details may still reach the issuer. */
    issuerCallEndsAt: instant(),
    createdAt: instant().notNull(),
  },
  (table) => [
    unique("cardholders_issuer_id").on(table.issuerId, table.issuer),
    index("cardholders_behind").on(table.userId).where(isPersonBehindAtIssuer(table)),
    index("cardholders_inactive")
      .on(table.userId)
      .where(sql`${table.issuerSyncedStatus} = 'inactive'`),
    check("cardholders_issuer_status", isOneOf(table.issuerStatus, cardholderStatuses)),
    check("cardholders_issuer_synced_status", isOneOf(table.issuerSyncedStatus, cardholderStatuses)),
  ],
);

export const cardIssueStatuses = ["open", "issued", "refused"] as const;

export type CardIssueStatus = (typeof cardIssueStatuses)[number];

/** Cards to be made. The row is written before the issuer is asked, so that a crash neither loses nor doubles a card. */
export const cardIssues = pgTable(
  "card_issues",
  {
    /** The card's id too, and what the issuer's idempotency key is made of. */
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    orderId: text().references(() => orders.id),
    /** Names the request: the same one again finds the card that it began. */
    requestKey: text(),
    virtual: boolean().notNull(),
    embossedName: text(),
    status: text().$type<CardIssueStatus>().notNull(),
    /** Requests to the issuer. From the second on, the card of an earlier one is looked for first. */
    attempts: integer().notNull().default(0),
    /** The PIN that the user chose, encrypted for the issuer: the same in every try. Gone with the issue's end. */
    sealedPin: text(),
    /** The controls that the card is made with: the same in every try. */
    issuerControls: jsonb().$type<StoredIssuerControls>(),
    reason: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("card_issues_one_open")
      .on(table.userId)
      .where(sql`${table.status} = 'open'`),
    uniqueIndex("card_issues_request_key").on(table.userId, table.requestKey),
    uniqueIndex("card_issues_order")
      .on(table.orderId)
      .where(sql`${table.status} <> 'refused'`),
    check("card_issues_status", isOneOf(table.status, cardIssueStatuses)),
    check("card_issues_sealed_pin", sql`${table.sealedPin} is null or ${table.status} = 'open'`),
    check("card_issues_reason", sql`(${table.status} = 'refused') = (${table.reason} is not null)`),
  ],
);

/**
 * What became of a callback: `handled`, `ignored` on purpose, `unmatched` with an object that no row knows, `unknown` by its type.
 */
export const issuerCallbackOutcomes = ["handled", "ignored", "unmatched", "unknown"] as const;

export type IssuerCallbackOutcome = (typeof issuerCallbackOutcomes)[number];

/** The issuer's callbacks, without their bodies: the object can be read from the issuer. */
export const issuerCallbacks = pgTable(
  "issuer_callbacks",
  {
    /** The issuer's id of it. */
    id: text().notNull(),
    issuer: issuer(),
    type: text().notNull(),
    /** The issuer's id of the object that it is about; null for an unreadable one. */
    objectId: text(),
    outcome: text().$type<IssuerCallbackOutcome>().notNull(),
    receivedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.issuer] }),
    index("issuer_callbacks_age").on(table.receivedAt),
    index("issuer_callbacks_outcome").on(table.outcome, table.receivedAt),
    check("issuer_callbacks_outcome", isOneOf(table.outcome, issuerCallbackOutcomes)),
  ],
);
