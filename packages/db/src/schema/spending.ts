/**
 * Card money.
 *
 * - payment: one use of a card, or a refund that belongs to none; its thread is the issuer's. - clearing: what the issuer
 *   said of it later, one row each. - transfer: the money following on chain. - entry: a line of the ledger.
 */
import { type DisputeReason, disputeReasons } from "@cardkeep/contract/disputes";
import { listFinalStates, listStates } from "@cardkeep/contract/machine";
import { type PaymentResult, paymentResults } from "@cardkeep/contract/cardEvents";
import { paymentMachine, type PaymentStatus, transferMachine, type TransferStatus } from "@cardkeep/contract/spending";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, cents, counter, hex, instant, isNoneOf, isOneOf, requestId } from "./columns.ts";
import { cards } from "./cards.ts";
import { safes } from "./safes.ts";
import { users } from "./users.ts";

/** Which moves of `status` are let through, a trigger says: `guards.ts`. */
export const cardPayments = pgTable(
  "card_payments",
  {
    id: text().primaryKey(),
    threadId: text().notNull().unique("card_payments_thread_id"),
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
    /** Why it was declined. */
    declineResult: text().$type<PaymentResult>(),
    declineReason: text(),
    /** In the card's currency: as authorized, given up of it, claimed, and refunded. */
    authorizedCents: cents().notNull(),
    reversedCents: cents().notNull(),
    capturedCents: cents().notNull(),
    refundedCents: cents().notNull(),
    billingCurrency: text().notNull(),
    /** In the merchant's currency and its minor units. */
    merchantMinor: cents().notNull(),
    merchantCurrency: text().notNull(),
    merchantName: text(),
    merchantCity: text(),
    /** ISO 3166-1 alpha-2. */
    merchantCountry: text(),
    mcc: text().notNull(),
    transactionType: text().notNull(),
    /** Base units that the issuer's word means to have left the Safe; may be below zero for a refund alone. */
    target: amount().notNull(),
    /** Base units of `target` that are a debt: a spend failed, and no proved transfer has made up for it. */
    owed: amount().notNull(),
    /**
     * Base units of `target` that no transfer moves, because a refund of one payment was set off against another's debt. Above
     * zero where it paid the debt, below zero where it was to be returned. A user's sum to zero.
     */
    setOff: amount().notNull(),
    /** Claimed beyond what was approved and not reversed, in the card's currency. */
    excessCents: cents().notNull(),
    /** Raised by every change, so that what was read of the issuer before it is not written over it. */
    version: integer().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    clearedAt: instant(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    index("card_payments_user").on(table.userId, table.createdAt),
    index("card_payments_safe").on(table.safeId),
    index("card_payments_owed")
      .on(table.userId, table.createdAt)
      .where(sql`${table.owed} > 0`),
    index("card_payments_authorized")
      .on(table.updatedAt)
      .where(sql`${table.status} = 'AUTHORIZED'`),
    check("card_payments_status", isOneOf(table.status, listStates(paymentMachine))),
    check(
      "card_payments_decline",
      sql`(${table.status} <> 'DECLINED' or ${table.declineResult} is not null) and (${table.declineResult} is null or ${isOneOf(table.declineResult, paymentResults)})`,
    ),
    check(
      "card_payments_amounts",
      sql`least(${table.authorizedCents}, ${table.reversedCents}, ${table.capturedCents}, ${table.refundedCents}, ${table.merchantMinor}) >= 0`,
    ),
    check("card_payments_debt", sql`${table.owed} >= 0 and ${table.excessCents} >= 0`),
  ],
);

export const clearingKinds = ["capture", "refund", "reversal"] as const;
/** Money that goes back to the card; a line of the history of its own. */
export const creditKinds: readonly (typeof clearingKinds)[number][] = ["refund", "reversal"];

export const cardClearings = pgTable(
  "card_clearings",
  {
    /** The issuer's id of its transaction; what a thread's reversals come to is one row, named after the thread. */
    id: text().primaryKey(),
    paymentId: text()
      .notNull()
      .references(() => cardPayments.id),
    userId: text()
      .notNull()
      .references(() => users.id),
    kind: text().$type<(typeof clearingKinds)[number]>().notNull(),
    amountCents: cents().notNull(),
    merchantMinor: cents().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index("card_clearings_payment").on(table.paymentId),
    index("card_clearings_user").on(table.userId, table.createdAt).where(isOneOf(table.kind, creditKinds)),
    check("card_clearings_kind", isOneOf(table.kind, clearingKinds)),
    check("card_clearings_amount", sql`${table.amountCents} >= 0 and ${table.merchantMinor} >= 0`),
  ],
);

/** Which moves of `status` are let through, a trigger says: `guards.ts`. */
export const cardTransfers = pgTable(
  "card_transfers",
  {
    id: text().primaryKey(),
    /** Order of planning; within a Safe it is that of the commits, which hold its lock. */
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    paymentId: text()
      .notNull()
      .references(() => cardPayments.id),
    /** Place in its thread; each waits for those before it. */
    ordinal: integer().notNull(),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    /** The refund or reversal that it follows; null for what the payment itself moves. */
    clearingId: text().references(() => cardClearings.id),
    /** Spend: from the Safe to the settlement account. Return: back. */
    direction: text().$type<"spend" | "return">().notNull(),
    amount: amount().notNull(),
    /** Whether a spend collects a debt. */
    isCollection: boolean().notNull(),
    /** The call without a signature, as it is shown. */
    to: address().notNull(),
    data: hex().notNull(),
    /** What names it on chain: the salt of a spend, the tag of a return. */
    salt: hex().notNull(),
    /** By which the Roles module knows a spend. */
    messageHash: hex(),
    status: text().$type<TransferStatus>().notNull(),
    hash: hex(),
    /** Block that it rests on: where it ran, or the newest that was looked at when it failed. */
    endedBlock: counter(),
    reason: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("card_transfers_ordinal").on(table.paymentId, table.ordinal),
    index("card_transfers_open")
      .on(table.safeId, table.sequence)
      .where(isNoneOf(table.status, listFinalStates(transferMachine))),
    index("card_transfers_open_spends")
      .on(table.createdAt)
      .where(sql`${table.direction} = 'spend' and ${isNoneOf(table.status, listFinalStates(transferMachine))}`),
    index("card_transfers_safe").on(table.safeId, table.sequence),
    index("card_transfers_ended").on(table.endedBlock),
    index("card_transfers_collections")
      .on(table.safeId, table.sequence)
      .where(sql`${table.isCollection}`),
    check("card_transfers_status", isOneOf(table.status, listStates(transferMachine))),
    check("card_transfers_amount", sql`${table.amount} > 0`),
    check("card_transfers_spend", sql`(${table.direction} = 'spend') = (${table.messageHash} is not null)`),
    check(
      "card_transfers_evidence",
      sql`(${table.status} <> 'DONE' or ${table.hash} is not null) and (${table.status} <> 'FAILED' or ${table.reason} is not null)`,
    ),
  ],
);

export const ledgerAccounts = ["safe", "held", "settlement", "owed", "advanced"] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/**
 * The ledger of card money, in base units of the Safe's token: each journal's entries sum to zero, and none is ever
 * changed. Triggers hold both.
 */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** What is booked at once: one move of one transfer, or a change of a payment's debt. */
    journal: text().notNull(),
    /**
     * `safe`: what a Safe can spend. `held`: still the Safe's, on its way out. `settlement`: at the settlement account.
     * `owed`: a person's debt. `advanced`: its other side, what the operator pays the issuer for that person.
     */
    account: text().$type<LedgerAccount>().notNull(),
    transferId: text()
      .notNull()
      .references(() => cardTransfers.id),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    amount: amount().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.journal, table.account] }),
    index("ledger_entries_safe").on(table.safeId, table.account),
    index("ledger_entries_transfer").on(table.transferId),
    check("ledger_entries_account", isOneOf(table.account, ledgerAccounts)),
  ],
);

const disputeStatuses = ["requested", "created", "submitted", "refused"] as const;
type DisputeStatus = (typeof disputeStatuses)[number];
/** A worker takes it to the issuer. */
export const openDisputeStatuses: readonly DisputeStatus[] = ["requested", "created"];

export const cardDisputes = pgTable(
  "card_disputes",
  {
    id: text().primaryKey(),
    paymentId: text()
      .notNull()
      .unique("card_disputes_payment_id")
      .references(() => cardPayments.id),
    reason: text().$type<DisputeReason>().notNull(),
    status: text().$type<DisputeStatus>().notNull(),
    /** The issuer's id of it. */
    issuerDisputeId: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    index("card_disputes_open").on(table.id).where(isOneOf(table.status, openDisputeStatuses)),
    check("card_disputes_reason", isOneOf(table.reason, Object.keys(disputeReasons))),
    check("card_disputes_status", isOneOf(table.status, disputeStatuses)),
  ],
);
