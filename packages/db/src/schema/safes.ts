/** Safes and the delayed operations on them. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/delays";
import { listFinalStates, listStates } from "@cardkeep/contract/machine";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/safes";
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant, isNoneOf, isOneOf, requestId } from "./columns.ts";
import { users } from "./users.ts";

/** Of no use any more, so that the user may have another. */
export const goneStatuses: readonly SafeStatus[] = ["failed", "reset"];
/** A worker sends its deployment or its set-up. */
export const deployingStatuses: readonly SafeStatus[] = ["processing", "settingUp"];

export const safes = pgTable(
  "safes",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    saltNonce: amount().notNull(),
    address: address().notNull(),
    delayAddress: address().notNull(),
    rolesAddress: address().notNull(),
    bouncerAddress: address().notNull(),
    /** The wallet enabled on the Delay module at set-up. */
    firstOwner: address().notNull(),
    /** Who owns the Safe until it is set up, and signs that: the operator, or the user in the older way. */
    setUpBy: text().$type<"operator" | "user">().notNull(),
    /** In the older way the currency is chosen after the creation, and the limit with it. */
    tokenSymbol: text().$type<"EURe" | "GBPe" | "USDCe">(),
    dailyLimit: amount(),
    cooldownSeconds: integer().notNull(),
    expirationSeconds: integer().notNull(),
    /** The set-up that the user signed: its hash, and the calldata that sends it. */
    setUpHash: hex(),
    setUpData: hex(),
    status: text().$type<SafeStatus>().notNull(),
    attempts: integer().notNull().default(0),
    reason: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("safes_address").on(table.address),
    index("safes_delay").on(table.delayAddress),
    index("safes_under_way").on(table.id).where(isOneOf(table.status, deployingStatuses)),
    index("safes_user").on(table.userId, table.createdAt),
    uniqueIndex("safes_one_live").on(table.userId).where(isNoneOf(table.status, goneStatuses)),
    check("safes_status", isOneOf(table.status, listStates(safeMachine))),
    check("safes_currency", sql`(${table.tokenSymbol} is null) = (${table.dailyLimit} is null)`),
    check("safes_in_service", sql`${table.status} <> 'ok' or ${table.tokenSymbol} is not null`),
    check(
      "safes_setting_up",
      sql`${table.status} <> 'settingUp' or (${table.tokenSymbol} is not null and ${table.setUpHash} is not null and ${table.setUpData} is not null)`,
    ),
  ],
);

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
    /** Newest block that was looked at for how it ended. */
    endedBlock: counter(),
    readyAt: instant(),
    expiresAt: instant(),
    reason: text(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("delay_transactions_message").on(table.delayAddress, table.signer, table.messageHash),
    uniqueIndex("delay_transactions_queue").on(table.delayAddress, table.queueNonce),
    index("delay_transactions_enqueued").on(table.enqueuedBlock),
    index("delay_transactions_ended").on(table.endedBlock),
    index("delay_transactions_user").on(table.userId, table.sequence),
    index("delay_transactions_safe").on(table.safeId, table.createdAt),
    index("delay_transactions_open")
      .on(table.safeId, table.sequence)
      .where(isNoneOf(table.status, listFinalStates(delayMachine))),
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

/** What a Safe's balance of its token was told to be, so that a change is told once. */
export const publishedBalances = pgTable("published_balances", {
  safeId: text()
    .primaryKey()
    .references(() => safes.id),
  total: amount().notNull(),
  pending: amount().notNull(),
  publishedAt: instant().notNull(),
});
