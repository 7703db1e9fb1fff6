/**
 * What is known of the queues on chain, and which accounts are not as they were set up.
 *
 * - entry: a call in a Delay module's queue, of ours or of its owner, as the chain's logs have it.
 * - violation: what takes an account out of its known state.
 */
import { violationMachine, type ViolationStatus } from "@cardkeep/contract/accounts/integrity";
import { listStates } from "@cardkeep/contract/core/machine";
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, counter, hex, instant, isOneOf } from "../columns.ts";
import { safes } from "./safes.ts";

/** One row per entry, without gaps: what is above the highest one is not checked yet. */
export const queueEntries = pgTable(
  "queue_entries",
  {
    delayAddress: address().notNull(),
    queueNonce: counter().notNull(),
    /** Null for a violation. */
    kind: text(),
    blockNumber: counter().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.delayAddress, table.queueNonce] }),
    index("queue_entries_block").on(table.blockNumber),
  ],
);

/** A violation stands until it is cleared. */
export const standingStatuses: readonly ViolationStatus[] = listStates(violationMachine).filter(
  (status) => status !== "CLEARED",
);

/**
 * One row a chain: the newest block whose queue entries were checked. It is written at every block, so it is no column of
 * the row that every job holds while it judges by the chain.
 */
export const checkedBlocks = pgTable("checked_blocks", {
  chainId: counter().primaryKey(),
  blockNumber: counter().notNull(),
  /** The version of the policy by which all entries are checked. */
  policyVersion: integer().notNull(),
});

export const accountViolations = pgTable(
  "account_violations",
  {
    id: text().primaryKey(),
    safeId: text()
      .notNull()
      .references(() => safes.id),
    /** The entry that is one. */
    queueNonce: counter(),
    /** The spend that the Roles module let run and that moved no money. */
    transferId: text(),
    status: text().$type<ViolationStatus>().notNull(),
    /** What it is, in words for operators. */
    reason: text().notNull(),
    /** Transaction that queued the entry, that ran the spend, or with neither of them that the Safe ran before its set-up. */
    hash: hex().notNull(),
    /** Block of that transaction. */
    blockNumber: counter().notNull(),
    /** Newest block that was read for how the entry ended. */
    endedBlock: counter(),
    seenAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("account_violations_entry").on(table.safeId, table.queueNonce),
    uniqueIndex("account_violations_transfer").on(table.transferId),
    index("account_violations_standing")
      .on(table.safeId)
      .where(sql`${table.status} <> 'CLEARED'`),
    index("account_violations_block").on(table.blockNumber),
    index("account_violations_ended").on(table.endedBlock),
    check("account_violations_status", isOneOf(table.status, listStates(violationMachine))),
    uniqueIndex("account_violations_set_up")
      .on(table.safeId)
      .where(sql`${table.queueNonce} is null and ${table.transferId} is null`),
    check("account_violations_cause", sql`num_nonnulls(${table.queueNonce}, ${table.transferId}) <= 1`),
  ],
);
