/**
 * Transfers: the chain side of payments.
 *
 * - transfer: one move of a payment's money, in the partition of its payment. - live transfer: what decisions and jobs read
 *   of one that is open or has just ended.
 */
import { listFinalStates } from "@cardkeep/contract/core/machine";
import { transferMachine, type TransferStatus } from "@cardkeep/contract/spending/spending";
import { sql } from "drizzle-orm";
import { boolean, check, foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant, isNoneOf, requestId, spell } from "../columns.ts";
import { safes } from "../accounts/safes.ts";
import { cardClearings, cardPayments } from "./payments.ts";

export const finalTransfersText = spell(listFinalStates(transferMachine));

/** A trigger guards the moves of `status`, and so its values, instead of a check: see `guards.ts`. */
export const cardTransfers = pgTable(
  "card_transfers",
  {
    /** Its payment's id and its ordinal: see `nameTransferRow`. */
    id: text().notNull(),
    /** Order of planning; within a Safe it is that of the commits, which hold its lock. */
    sequence: counter().notNull(),
    paymentId: text().notNull(),
    /** Number within its thread. A transfer waits for those before it. */
    ordinal: integer().notNull(),
    userId: text().notNull(),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    /** The refund or reversal that it follows; null for what the payment itself moves. */
    clearingId: text(),
    /** Spend: from the Safe to the settlement account. Return: back. */
    direction: text().$type<"spend" | "return">().notNull(),
    amount: amount().notNull(),
    /** Whether a spend collects a debt. */
    isCollection: boolean().notNull(),
    /** Whether an operator asked for a return that the issuer knows nothing of. */
    isByHand: boolean().notNull().default(false),
    /** The dispute whose credit it pays, or takes back. */
    disputeId: text(),
    /** The call without a signature, as routes show it. */
    to: address().notNull(),
    data: hex().notNull(),
    /** Its id on chain: the salt of a spend, the tag of a return. */
    salt: hex().notNull(),
    /** The Roles module's id of a spend. */
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
    primaryKey({ columns: [table.paymentId, table.ordinal, table.userId] }),
    foreignKey({
      columns: [table.paymentId, table.userId],
      foreignColumns: [cardPayments.id, cardPayments.userId],
      name: "card_transfers_payment",
    }),
    foreignKey({
      columns: [table.paymentId, table.clearingId, table.userId],
      foreignColumns: [cardClearings.paymentId, cardClearings.id, cardClearings.userId],
      name: "card_transfers_clearing",
    }),
    index("card_transfers_safe").on(table.safeId, table.sequence),
    index("card_transfers_ended").on(table.endedBlock),
    // A reconciliation looks for the transactions that it finds on chain.
    index("card_transfers_hash").using("hash", table.hash),
    index("card_transfers_collections")
      .on(table.safeId, table.sequence)
      .where(sql`${table.isCollection}`),
    // Few: what operators returned to one user.
    index("card_transfers_hand_returns")
      .on(table.userId, table.createdAt)
      .where(sql`${table.isByHand}`),
    check("card_transfers_id", sql`${table.id} = ${table.paymentId} || ':' || ${table.ordinal}`),
    check("card_transfers_amount", sql`${table.amount} > 0`),
    check("card_transfers_by_hand", sql`not ${table.isByHand} or ${table.direction} = 'return'`),
    check("card_transfers_spend", sql`(${table.direction} = 'spend') = (${table.messageHash} is not null)`),
    check(
      "card_transfers_evidence",
      sql`(${table.status} <> 'DONE' or ${table.hash} is not null) and (${table.status} <> 'FAILED' or ${table.reason} is not null)`,
    ),
  ],
);

/**
 * Transfers that are open, and those that ended within the hour, or within a longer cooldown: a decision counts what ended since
 * it read the chain, and what a node that lags behind does not know.
 *
 * The functions that write a transfer write its row here, in the same commit.
 */
export const liveTransfers = pgTable(
  "live_transfers",
  {
    id: text().primaryKey(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    paymentId: text().notNull(),
    ordinal: integer().notNull(),
    userId: text().notNull(),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    direction: text().$type<"spend" | "return">().notNull(),
    amount: amount().notNull(),
    isCollection: boolean().notNull(),
    messageHash: hex(),
    status: text().$type<TransferStatus>().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    /** When it ended; null while it is open. */
    endedAt: instant(),
  },
  (table) => [
    index("live_transfers_safe").on(table.safeId, table.sequence),
    index("live_transfers_payment").on(table.paymentId, table.ordinal),
    index("live_transfers_open_spends")
      .on(table.createdAt)
      .where(sql`${table.direction} = 'spend' and ${isNoneOf(table.status, listFinalStates(transferMachine))}`),
    index("live_transfers_ended").on(table.endedAt),
  ],
);
