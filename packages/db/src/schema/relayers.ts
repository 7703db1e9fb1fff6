/**
 * Our own chain transactions.
 *
 * - relayer: a sender key, one lane with its next nonce. - relay transaction: one nonce of a lane and what it is for.
 * - attempt: signed bytes for that nonce; a replacement is a further attempt, the newest wins.
 */
import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant, requestId } from "./columns.ts";

export type RelayPurpose =
  "safe.deploy" | "safe.create" | "safe.setUp" | "delay.enqueue" | "delay.dispatch" | "delay.skip" | "delay.unblock";

export const relayers = pgTable("relayers", {
  address: address().primaryKey(),
  nextNonce: counter().notNull(),
});

export const relayTransactions = pgTable(
  "relay_transactions",
  {
    id: text().primaryKey(),
    purpose: text().$type<RelayPurpose>().notNull(),
    /** The row it serves: a Safe or a delayed operation. */
    subjectId: text().notNull(),
    requestId: requestId(),
    relayer: address()
      .notNull()
      .references(() => relayers.address),
    nonce: counter().notNull(),
    to: address().notNull(),
    value: amount().notNull(),
    data: hex().notNull(),
    gasLimit: counter().notNull(),
    status: text().$type<"SIGNED" | "MINED" | "REVERTED">().notNull(),
    minedHash: hex(),
    blockNumber: counter(),
    blockHash: hex(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("relay_transactions_nonce").on(table.relayer, table.nonce),
    uniqueIndex("relay_transactions_one_open")
      .on(table.purpose, table.subjectId)
      .where(sql`${table.status} = 'SIGNED'`),
    index("relay_transactions_open")
      .on(table.relayer, table.nonce)
      .where(sql`${table.status} = 'SIGNED'`),
    check("relay_transactions_status", sql`${table.status} in ('SIGNED', 'MINED', 'REVERTED')`),
  ],
);

export const relayAttempts = pgTable(
  "relay_attempts",
  {
    hash: hex().primaryKey(),
    relayTransactionId: text()
      .notNull()
      .references(() => relayTransactions.id),
    raw: hex().notNull(),
    maxFeePerGas: amount().notNull(),
    maxPriorityFeePerGas: amount().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [index("relay_attempts_transaction").on(table.relayTransactionId, table.createdAt)],
);

/** How far the chain has been read: the block and its hash, to notice a reorganisation. */
export const chainCursor = pgTable("chain_cursor", {
  chainId: counter().primaryKey(),
  blockNumber: counter().notNull(),
  blockHash: hex().notNull(),
});
