/** Delayed operations on Safes. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { listFinalStates, listStates } from "@cardkeep/contract/core/machine";
import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant, isNoneOf, isOneOf, requestId, spell } from "../columns.ts";
import { safes } from "./safes.ts";
import { users } from "../users/users.ts";

export const finalDelaysText = spell(listFinalStates(delayMachine));

export type DelayKind = "withdrawal" | "owner.add" | "owner.remove" | "limit";

export const delayTransactions = pgTable(
  "delay_transactions",
  {
    id: text().primaryKey(),
    /** Order of acceptance; one Safe's operations are enqueued in it. */
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    userId: text()
      .notNull()
      .references(() => users.id),
    kind: text().$type<DelayKind>().notNull(),
    to: address().notNull(),
    value: amount().notNull(),
    data: hex().notNull(),
    operation: text().$type<"CALL" | "DELEGATECALL">().notNull(),
    /** For a withdrawal: what leaves the Safe. */
    tokenAddress: address(),
    amount: amount(),
    delayAddress: address().notNull(),
    signer: address().notNull(),
    messageHash: hex().notNull(),
    /** Calldata of the enqueue: signed message, salt and signature in the contract's order. */
    enqueueData: hex().notNull(),
    status: text().$type<DelayStatus>().notNull(),
    enqueueTaskId: text().notNull().unique("delay_transactions_enqueue_task_id"),
    dispatchTaskId: text(),
    queueNonce: counter(),
    enqueuedHash: hex(),
    executedHash: hex(),
    /** Block of the enqueue. */
    enqueuedBlock: counter(),
    /** Newest block that was searched for its end. */
    endedBlock: counter(),
    readyAt: instant(),
    expiresAt: instant(),
    reason: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    // Of any signer: the chain's logs name a message without its signer.
    uniqueIndex("delay_transactions_message").on(table.delayAddress, table.messageHash),
    uniqueIndex("delay_transactions_queue").on(table.delayAddress, table.queueNonce),
    index("delay_transactions_enqueued").on(table.enqueuedBlock),
    index("delay_transactions_ended").on(table.endedBlock),
    index("delay_transactions_user").on(table.userId, table.sequence),
    index("delay_transactions_request").on(table.requestId),
    index("delay_transactions_executed").using("hash", table.executedHash),
    index("delay_transactions_safe").on(table.safeId, table.createdAt),
    index("delay_transactions_sequence").on(table.sequence),
    index("delay_transactions_failed")
      .on(table.sequence)
      .where(isOneOf(table.status, ["FAILED"])),
    index("delay_transactions_failed_user")
      .on(table.userId, table.sequence)
      .where(isOneOf(table.status, ["FAILED"])),
    index("delay_transactions_open")
      .on(table.safeId, table.sequence)
      .where(isNoneOf(table.status, listFinalStates(delayMachine))),
    // Figures count the withdrawals of a day.
    index("delay_transactions_withdrawn")
      .on(table.updatedAt)
      .where(sql`${table.kind} = 'withdrawal' and ${table.status} = 'EXECUTED'`),
    index("delay_transactions_limits")
      .on(table.safeId, table.createdAt)
      .where(sql`${table.kind} = 'limit'`),
    check("delay_transactions_status", isOneOf(table.status, listStates(delayMachine))),
    check(
      "delay_transactions_queued",
      sql`${table.status} in ('QUEUING', 'FAILED') or (${table.queueNonce} is not null and ${table.readyAt} is not null)`,
    ),
    check("delay_transactions_evidence", sql`${table.status} <> 'EXECUTED' or ${table.executedHash} is not null`),
    check("delay_transactions_reason", sql`${table.status} <> 'FAILED' or ${table.reason} is not null`),
  ],
);
