/** Transfers: the chain side of payments. */
import { listFinalStates, listStates } from "@cardkeep/contract/machine";
import { transferMachine, type TransferStatus } from "@cardkeep/contract/spending";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant, isNoneOf, isOneOf, requestId, spell } from "../columns.ts";
import { safes } from "../safes.ts";
import { cardClearings, cardPayments } from "./payments.ts";

export const finalTransfersText = spell(listFinalStates(transferMachine));

/** A trigger guards the moves of `status`: see `guards.ts`. */
export const cardTransfers = pgTable(
  "card_transfers",
  {
    id: text().primaryKey(),
    /** Order of planning; within a Safe it is that of the commits, which hold its lock. */
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    paymentId: text()
      .notNull()
      .references(() => cardPayments.id),
    /** Number within its thread. A transfer waits for those before it. */
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
