/** The entries of an operation's timeline, made of rows and of what the chain was asked. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import type { StoredEvent } from "@cardkeep/db/queries/partners/outbox";
import type { RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";

/** Who sent a chain transaction: one of our relayers, or a stranger whose address only the chain knows. */
export interface Sender {
  isOurs: boolean;
  address: Address | null;
}

/** One past or coming step. `at` is null where neither a row nor the chain has its instant. */
export type TimelineEntry =
  | { step: "accepted"; at: Date; signer: Address; requestId: string }
  | {
      step: "signed";
      at: Date;
      purpose: RelayTransaction["purpose"];
      relayer: Address;
      nonce: bigint;
      gasLimit: bigint;
    }
  | {
      /** Bytes in the database, and by `at` with a node. */
      step: "broadcast";
      at: Date | null;
      persistedAt: Date;
      hash: Hex;
      /** Wei. */
      maxFeePerGas: bigint;
      maxPriorityFeePerGas: bigint;
      refusal: string | null;
    }
  | {
      step: "mined" | "reverted";
      at: Date | null;
      purpose: RelayTransaction["purpose"];
      hash: Hex;
      blockNumber: bigint;
      blockHash: Hex;
    }
  /** Mined once, in a block that is not part of the chain any more. */
  | { step: "rolledBack"; at: Date; purpose: RelayTransaction["purpose"] }
  /** Another program's transaction used its nonce; the hash is null where it was not looked for. */
  | { step: "lost"; at: Date; purpose: RelayTransaction["purpose"]; hash: Hex | null }
  | { step: "queued"; at: Date | null; queueNonce: bigint; hash: Hex; blockNumber: bigint | null; by: Sender }
  | { step: "ready"; at: Date }
  | { step: "executed"; at: Date | null; hash: Hex; blockNumber: bigint | null; by: Sender }
  | { step: "failed"; at: Date; reason: string }
  | { step: "published"; at: Date; eventType: string; eventId: string };

/** What the chain says of a transaction that is not ours. */
export interface ForeignTransaction {
  from: Address;
  minedAt: Date | null;
}

export interface TimelineSources {
  item: DelayTransaction;
  relayed: readonly { transaction: RelayTransaction; attempts: readonly RelayAttempt[] }[];
  events: readonly StoredEvent[];
  /** By hash. */
  foreign: ReadonlyMap<Hex, ForeignTransaction>;
}

/** All entries in causal order, which is the order of time where all clocks are right. */
export function buildEntries(sources: TimelineSources): TimelineEntry[] {
  const { item, relayed, events } = sources;
  const isEnqueue = ({ transaction }: (typeof relayed)[number]) => transaction.purpose === "delay.enqueue";
  return [
    { step: "accepted", at: item.createdAt, signer: item.signer, requestId: item.requestId },
    ...relayed.filter(isEnqueue).flatMap(buildTransactionEntries),
    ...buildQueueEntries(sources),
    ...relayed.filter((each) => !isEnqueue(each)).flatMap(buildTransactionEntries),
    ...buildEndEntries(sources),
    ...events.map((event) => ({
      step: "published" as const,
      at: event.createdAt,
      eventType: event.eventType,
      eventId: event.id,
    })),
  ];
}

function buildTransactionEntries({ transaction, attempts }: TimelineSources["relayed"][number]): TimelineEntry[] {
  const { purpose, relayer, nonce, gasLimit, minedHash, blockNumber, blockHash, status, lostToHash } = transaction;
  const sent = attempts.map((attempt) => ({
    step: "broadcast" as const,
    at: attempt.broadcastAt,
    persistedAt: attempt.createdAt,
    hash: attempt.hash,
    maxFeePerGas: attempt.maxFeePerGas,
    maxPriorityFeePerGas: attempt.maxPriorityFeePerGas,
    refusal: attempt.refusal,
  }));
  const entries: TimelineEntry[] = [
    { step: "signed", at: transaction.createdAt, purpose, relayer, nonce, gasLimit },
    ...sent,
  ];
  if (status === "ROLLED_BACK") return [...entries, { step: "rolledBack", at: transaction.updatedAt, purpose }];
  if (status === "LOST") return [...entries, { step: "lost", at: transaction.updatedAt, purpose, hash: lostToHash }];
  if (minedHash === null || blockNumber === null || blockHash === null) return entries;
  const step = status === "REVERTED" ? "reverted" : "mined";
  return [...entries, { step, at: transaction.minedAt, purpose, hash: minedHash, blockNumber, blockHash }];
}

/** Who sent the transaction of a hash, and when it was mined. */
function attribute({ relayed, foreign }: TimelineSources, hash: Hex): { at: Date | null; by: Sender } {
  const own = relayed.find(({ transaction }) => transaction.minedHash === hash)?.transaction;
  if (own) return { at: own.minedAt, by: { isOurs: true, address: own.relayer } };
  const other = foreign.get(hash);
  return { at: other?.minedAt ?? null, by: { isOurs: false, address: other?.from ?? null } };
}

function buildQueueEntries(sources: TimelineSources): TimelineEntry[] {
  const { queueNonce, enqueuedHash, enqueuedBlock, readyAt } = sources.item;
  if (queueNonce === null || enqueuedHash === null) return [];
  const queued: TimelineEntry = {
    step: "queued",
    ...attribute(sources, enqueuedHash),
    queueNonce,
    hash: enqueuedHash,
    blockNumber: enqueuedBlock,
  };
  return readyAt === null ? [queued] : [queued, { step: "ready", at: readyAt }];
}

function buildEndEntries(sources: TimelineSources): TimelineEntry[] {
  const { status, executedHash, endedBlock, reason, updatedAt } = sources.item;
  if (status === "FAILED") return [{ step: "failed", at: updatedAt, reason: reason ?? "" }];
  if (status !== "EXECUTED" || executedHash === null) return [];
  return [{ step: "executed", ...attribute(sources, executedHash), hash: executedHash, blockNumber: endedBlock }];
}

/** Hashes that no transaction of ours was mined under. */
export function listForeignHashes({ item, relayed }: Pick<TimelineSources, "item" | "relayed">): Hex[] {
  const own = new Set(relayed.map(({ transaction }) => transaction.minedHash));
  return [item.enqueuedHash, item.executedHash].flatMap((hash) => (hash === null || own.has(hash) ? [] : [hash]));
}
