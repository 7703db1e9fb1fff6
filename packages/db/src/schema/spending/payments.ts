/**
 * Payments: uses of a card, and refunds without one.
 *
 * - payment: its thread is the issuer's. - thread: the row that makes it one payment's. - clearing: a later report of the
 *   issuer about the payment, one row each. - debt: a payment that owes, as long as it does.
 *
 * Payments are partitioned by month, see `partitions.ts`. What belongs to one is in the same month.
 */
import { type CardChannel, cardChannels } from "@cardkeep/contract/cards/cardRules";
import { type PaymentResult, paymentResults } from "@cardkeep/contract/spending/cardEvents";
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { sql } from "drizzle-orm";
import { check, date, foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { cards } from "../cards/cards.ts";
import { amount, cents, instant, isOneOf, issuer, requestId } from "../columns.ts";
import { safes } from "../accounts/safes.ts";
import { users } from "../users/users.ts";

const rareStatuses: readonly PaymentStatus[] = ["DECLINED", "REVERSED", "EXPIRED", "CREDITED"];

/**
 * A trigger guards the moves of `status`, and so its values: see `guards.ts`. Postgres parses the condition of a check for each
 * insert, so there is none beside it.
 */
export const cardPayments = pgTable(
  "card_payments",
  {
    id: text().notNull(),
    threadId: text().notNull(),
    userId: text()
      .notNull()
      .references(() => users.id),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    cardId: text()
      .notNull()
      .references(() => cards.id),
    status: text().$type<PaymentStatus>().notNull(),
    /** Reason of a decline. */
    declineResult: text().$type<PaymentResult>(),
    declineReason: text(),
    /** In the card's currency: authorized, reversed, captured and refunded. */
    authorizedCents: cents().notNull(),
    reversedCents: cents().notNull(),
    capturedCents: cents().notNull(),
    refundedCents: cents().notNull(),
    billingCurrency: text().notNull(),
    /** In the merchant's currency and its minor units. */
    merchantMinor: cents().notNull(),
    /** What the captures come to in the same units. Its rate may differ from the authorization's. */
    capturedMinor: cents()
      .notNull()
      .default(sql`0`),
    merchantCurrency: text().notNull(),
    merchantName: text(),
    merchantCity: text(),
    /** ISO 3166-1 alpha-2. */
    merchantCountry: text(),
    mcc: text().notNull(),
    /** The merchant's id in the card network. */
    merchantNetworkId: text(),
    /** How the card was used; null where the issuer did not say. */
    channel: text().$type<CardChannel>(),
    transactionType: text().notNull(),
    /** The issuer's id of the wallet token that was used; null for the card itself. */
    walletTokenId: text(),
    /** Result of 3-D Secure; null where it was not asked for. */
    threeDSecure: text(),
    /** Why it was not asked for, and who claims so: `low_value_transaction by acquirer`. */
    authenticationExemption: text(),
    /** Base units that shall have left the Safe by the issuer's record. Below zero for a refund without a payment. */
    target: amount().notNull(),
    /** Base units of `target` that are a debt: a spend failed, and no proved transfer has made up for it. */
    owed: amount().notNull(),
    /**
     * Base units of `target` that no transfer moves, because a refund of one payment was set off against another's debt. Above
     * zero where it paid the debt, below zero where it was to be returned. A user's sum to zero.
     */
    setOff: amount().notNull(),
    /** Base units that a dispute of it returns to the Safe. They count up to `target`. */
    credit: amount()
      .notNull()
      .default(sql`0`),
    /** Base units of `target` that operators gave up. They count as far as they are still missing: see `computeWrittenOff`. */
    writtenOff: amount()
      .notNull()
      .default(sql`0`),
    /** Captured beyond what was approved and not reversed, in the card's currency. */
    excessCents: cents().notNull(),
    /** When its authorization expired, by the issuer or on its last day here; null where it has not. Later captures are late. */
    expiredAt: instant(),
    /** When its hold ended before the issuer said so; null where the issuer decides. */
    holdEndedAt: instant(),
    /** Thread of the unlinked capture that was paid instead of its hold. */
    matchedThreadId: text(),
    /** Raised by every change, so that an older report of the issuer does not overwrite it. */
    version: integer().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    clearedAt: instant(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.userId] }),
    index("card_payments_user").on(table.userId, table.createdAt),
    index("card_payments_safe").on(table.safeId),
    index("card_payments_merchant").on(sql`lower(${table.merchantName}) text_pattern_ops`, table.id),
    index("card_payments_declined")
      .on(table.declineReason, table.id)
      .where(sql`${table.status} = 'DECLINED'`),
    // The newest payments lead to the other states fast.
    index("card_payments_rare").on(table.status, table.id).where(isOneOf(table.status, rareStatuses)),
    index("card_payments_authorized")
      .on(table.updatedAt)
      .where(sql`${table.status} = 'AUTHORIZED'`),
    check(
      "card_payments_decline",
      sql`(${table.status} <> 'DECLINED' or ${table.declineResult} is not null) and (${table.declineResult} is null or ${isOneOf(table.declineResult, paymentResults)})`,
    ),
    check(
      "card_payments_amounts",
      sql`least(${table.authorizedCents}, ${table.reversedCents}, ${table.capturedCents}, ${table.refundedCents}, ${table.merchantMinor}) >= 0`,
    ),
    check("card_payments_channel", isOneOf(table.channel, cardChannels)),
    check(
      "card_payments_debt",
      sql`least(${table.owed}, ${table.credit}, ${table.writtenOff}) >= 0 and ${table.excessCents} >= 0`,
    ),
  ],
);

/**
 * One payment for each of the issuer's threads, also after the payment was archived. They stay for ever, so they are
 * partitioned by the thread's hash.
 */
export const cardThreads = pgTable(
  "card_threads",
  { threadId: text().notNull(), issuer: issuer(), paymentId: text().notNull(), userId: text().notNull() },
  (table) => [primaryKey({ columns: [table.threadId, table.issuer] })],
);

/** The payments whose `owed` is above zero: decisions read no other payment. */
export const cardDebts = pgTable(
  "card_debts",
  {
    paymentId: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    owed: amount().notNull(),
    requestId: requestId(),
    /** When the payment was made. */
    createdAt: instant().notNull(),
  },
  (table) => [
    index("card_debts_user").on(table.userId, table.createdAt),
    check("card_debts_owed", sql`${table.owed} > 0`),
  ],
);

/** `reversal` is of the authorization; the reversals of a capture and of a refund are clearings of their own. */
export const clearingKinds = ["capture", "refund", "reversal", "capture_reversal", "refund_reversal"] as const;

/** Each is a line of the history of its own; captures are in their payment's line. */
export const listedKinds: readonly (typeof clearingKinds)[number][] = clearingKinds.filter(
  (kind) => kind !== "capture",
);

export const cardClearings = pgTable(
  "card_clearings",
  {
    /** The issuer's id of its transaction; what a thread's reversals come to is one row, named after the thread. */
    id: text().notNull(),
    paymentId: text().notNull(),
    userId: text()
      .notNull()
      .references(() => users.id),
    kind: text().$type<(typeof clearingKinds)[number]>().notNull(),
    amountCents: cents().notNull(),
    merchantMinor: cents().notNull(),
    /** When the issuer booked it; of a reversal, when it was known here. */
    postedAt: instant().notNull(),
    /** The day on which the network processed it; null where the issuer does not say. */
    processedOn: date({ mode: "string" }),
    /** The network's id for it; null where the issuer sends none. */
    networkReference: text(),
    /** Of the amount, the fee of the cash machine's owner. */
    feeCents: cents()
      .notNull()
      .default(sql`0`),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.paymentId, table.id, table.userId] }),
    foreignKey({
      columns: [table.paymentId, table.userId],
      foreignColumns: [cardPayments.id, cardPayments.userId],
      name: "card_clearings_payment",
    }),
    index("card_clearings_user").on(table.userId, table.createdAt).where(isOneOf(table.kind, listedKinds)),
    // A second capture of the same reference is looked for.
    index("card_clearings_reference")
      .on(table.networkReference)
      .where(sql`${table.networkReference} is not null`),
    // Books of the firm follow clearings by their time.
    index("card_clearings_time").using("brin", table.createdAt),
    check("card_clearings_kind", isOneOf(table.kind, clearingKinds)),
    check("card_clearings_amount", sql`least(${table.amountCents}, ${table.merchantMinor}, ${table.feeCents}) >= 0`),
  ],
);
