/**
 * Our own chain transactions.
 *
 * - relayer: a sender key, one lane with its next nonce. - relay transaction: one nonce of a lane and what it is for.
 * - attempt: signed bytes for that nonce; a replacement is a further attempt, the newest wins. - open relay: what jobs read
 *   of one that is neither settled nor lost.
 *
 * Transactions are partitioned by month, and their attempts with them: see `partitions.ts`. Triggers write nonces and open
 * relays, so that both are unique over all partitions.
 */
import { laneMachine, type LaneState } from "@cardkeep/contract/chain/lanes";
import { listStates } from "@cardkeep/contract/core/machine";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, amount, counter, hex, instant, isOneOf, requestId } from "../columns.ts";

export type RelayPurpose =
  | "safe.deploy"
  | "safe.create"
  | "safe.setUp"
  | "delay.enqueue"
  | "delay.dispatch"
  | "delay.skip"
  | "delay.unblock"
  | "card.spend"
  | "card.return"
  | "order.return"
  | "treasury.transfer"
  | "treasury.approve"
  | "relayer.sweep"
  | "relayer.topUp"
  | "relayer.fill";

const relayStatuses = ["SIGNED", "ROLLED_BACK", "MINED", "REVERTED", "LOST"] as const;
export type RelayStatus = (typeof relayStatuses)[number];

/** Signed, and in no block of the chain. */
export const openRelayStatuses: readonly RelayStatus[] = ["SIGNED", "ROLLED_BACK"];

export const relayers = pgTable(
  "relayers",
  {
    address: address().primaryKey(),
    nextNonce: counter().notNull(),
    state: text().$type<LaneState>().notNull().default(laneMachine.initial),
    /** End of the time in which one job gathers the lane's next batch, also if that job dies. */
    gatheringUntil: instant(),
    /** Transactions of this key on chain that this service did not sign, as far as it noticed, and when it noticed the last. */
    foreignCount: counter()
      .notNull()
      .default(sql`0`),
    foreignSeenAt: instant(),
  },
  (table) => [check("relayers_state", isOneOf(table.state, listStates(laneMachine)))],
);

export const relayTransactions = pgTable(
  "relay_transactions",
  {
    id: text().primaryKey(),
    purpose: text().$type<RelayPurpose>().notNull(),
    /** The row it was signed for: a Safe, a delayed operation, a transfer or a top-up. It may serve further rows of that kind. */
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
    /**
     * Rolled back: mined in a removed block; it is sent again and counts as open. Lost: a final block holds a transaction of
     * another program at this nonce, so none of ours can be mined at it. A new transaction is signed for its subject.
     */
    status: text().$type<RelayStatus>().notNull(),
    minedHash: hex(),
    blockNumber: counter(),
    blockHash: hex(),
    /** Time of that block. */
    minedAt: instant(),
    /**
     * When it was lost. It keeps that instant when it is rolled back: then only its nonce is to be filled. A return that
     * reverted is lost once it is rolled back.
     */
    lostAt: instant(),
    /** The transaction that used the nonce; null where its block is too old to be searched. */
    lostToHash: hex(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    index("relay_transactions_mined").on(table.blockNumber),
    check("relay_transactions_status", isOneOf(table.status, relayStatuses)),
    check("relay_transactions_lost", sql`${table.status} <> 'LOST' or ${table.lostAt} is not null`),
  ],
);

/** Condition: a relay transaction is neither settled nor lost. */
export const isOpenRelay = isOneOf(relayTransactions.status, openRelayStatuses);

/** One transaction for each nonce of a lane, also after it was archived. Partitioned by hash, because they stay for ever. */
export const relayNonces = pgTable(
  "relay_nonces",
  { relayer: address().notNull(), nonce: counter().notNull(), relayTransactionId: text().notNull() },
  (table) => [primaryKey({ name: "relay_transactions_nonce", columns: [table.relayer, table.nonce] })],
);

/** The relay transactions that are neither settled nor lost. A subject has one signed transaction for each purpose. */
export const openRelays = pgTable(
  "open_relays",
  {
    relayTransactionId: text().primaryKey(),
    relayer: address().notNull(),
    nonce: counter().notNull(),
    purpose: text().$type<RelayPurpose>().notNull(),
    subjectId: text().notNull(),
    status: text().$type<RelayStatus>().notNull(),
    requestId: requestId(),
  },
  (table) => [
    uniqueIndex("relay_transactions_one_open")
      .on(table.purpose, table.subjectId)
      .where(sql`${table.status} = 'SIGNED'`),
    index("open_relays_lane").on(table.relayer, table.nonce),
    index("open_relays_subject").on(table.subjectId),
  ],
);

/** Every row that a relay transaction serves, the one it was signed for among them, also after it was archived. */
export const relaySubjects = pgTable(
  "relay_subjects",
  {
    relayTransactionId: text().notNull(),
    subjectId: text().notNull(),
    /** The transaction's. */
    purpose: text().$type<RelayPurpose>().notNull(),
    requestId: requestId(),
  },
  (table) => [
    primaryKey({ columns: [table.relayTransactionId, table.subjectId] }),
    index("relay_subjects_subject").on(table.subjectId),
  ],
);

export const relayAttempts = pgTable(
  "relay_attempts",
  {
    hash: hex().notNull(),
    relayTransactionId: text()
      .notNull()
      .references(() => relayTransactions.id),
    raw: hex().notNull(),
    maxFeePerGas: amount().notNull(),
    maxPriorityFeePerGas: amount().notNull(),
    /** When a node first accepted it. Null may be wrong: a node may accept it and its answer get lost. */
    broadcastAt: instant(),
    /** Error of the last node that refused it; null once a node accepted it. */
    refusal: text(),
    /** When it was last resent because the node did not know it, by the database's clock, and how often. */
    resentAt: instant(),
    resends: integer().notNull().default(0),
    /** A transfer of 0 to the sender, which only uses the nonce up. */
    isCancellation: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.relayTransactionId, table.hash] }),
    index("relay_attempts_hash").using("hash", table.hash),
  ],
);

/**
 * What people's operations and set-ups cost in transactions of ours that blocks refused, but for those that another sender overtook;
 * and what dear entries cost that owners queued past the service.
 *
 * A batch has a row for each operation of it that was refused. Rows of a transaction go when its block is removed.
 */
export const revertedGas = pgTable(
  "reverted_gas",
  {
    relayTransactionId: text().notNull(),
    /** The delayed operation, or the Safe whose set-up it was. */
    subjectId: text().notNull(),
    safeId: text().notNull(),
    userId: text().notNull(),
    /** Gas used times its price, in base units of the native token. */
    cost: amount().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.relayTransactionId, table.subjectId] }),
    index("reverted_gas_age").on(table.createdAt),
    index("reverted_gas_user").on(table.userId, table.createdAt),
  ],
);

/**
 * One row per chain: how many reorganisations were noticed, and up to which block the queues were compared with the rows.
 * Data read before the last reorganisation may be wrong.
 */
export const chainCursor = pgTable("chain_cursor", {
  chainId: counter().primaryKey(),
  reorganisations: integer().notNull(),
  comparedBlock: counter(),
});

/** Newest blocks of the chain, as seen. A block that has another hash later was removed by a reorganisation. */
export const chainBlocks = pgTable("chain_blocks", {
  blockNumber: counter().primaryKey(),
  blockHash: hex().notNull(),
  /** Whether a look at the head recorded it, which found it built upon those below; a job's rows may rest on it before. */
  isFollowed: boolean().notNull().default(false),
});

/** Queue entries of our Safes without an operation: an owner's own, or those of rows lost with a database. */
export const foreignEntries = pgTable(
  "foreign_entries",
  {
    delayAddress: address().notNull(),
    queueNonce: counter().notNull(),
    to: address().notNull(),
    value: amount().notNull(),
    data: hex().notNull(),
    enqueuedHash: hex().notNull(),
    enqueuedBlock: counter().notNull(),
    seenAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.delayAddress, table.queueNonce] })],
);
