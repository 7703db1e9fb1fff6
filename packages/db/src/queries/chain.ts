/** What was seen of the chain's blocks, and what a reorganisation takes back from the rows. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/delays";
import { listUndoOrigins } from "@cardkeep/contract/machine";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/safes";
import type { Hex } from "@cardkeep/contract/primitives";
import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../client.ts";
import {
  cardTransfers,
  chainBlocks,
  chainCursor,
  delayTransactions,
  foreignEntries,
  relayTransactions,
  safes,
} from "../schema/tables.ts";
import type { DelayTransaction } from "./delays.ts";
import type { RelayTransaction } from "./relayTransactions.ts";
import type { Safe } from "./safes.ts";

export interface SeenBlock {
  blockNumber: bigint;
  blockHash: Hex;
}

/** How many reorganisations were noticed on a chain. */
export async function countReorganisations(on: Executor, chainId: number): Promise<number> {
  const [row] = await on
    .select()
    .from(chainCursor)
    .where(eq(chainCursor.chainId, BigInt(chainId)));
  return row?.reorganisations ?? 0;
}

/** The same, and no other is noted until the transaction ends. */
export async function holdReorganisations(tx: Tx, chainId: number): Promise<number> {
  const [row] = await tx
    .select()
    .from(chainCursor)
    .where(eq(chainCursor.chainId, BigInt(chainId)))
    .for("share");
  return row?.reorganisations ?? 0;
}

/** Notes a reorganisation, after every transaction that holds them has ended. */
export async function noteReorganisation(tx: Tx, chainId: number): Promise<void> {
  await tx
    .update(chainCursor)
    .set({ reorganisations: sql`${chainCursor.reorganisations} + 1` })
    .where(eq(chainCursor.chainId, BigInt(chainId)));
}

/** Makes the row that is held and noted on. */
export async function insertChainCursor(on: Executor, chainId: number): Promise<void> {
  await on
    .insert(chainCursor)
    .values({ chainId: BigInt(chainId), reorganisations: 0 })
    .onConflictDoNothing();
}

/** The block up to which queues and rows were compared; null before the first time. */
export async function findComparedBlock(on: Executor, chainId: number): Promise<bigint | null> {
  const [row] = await on
    .select()
    .from(chainCursor)
    .where(eq(chainCursor.chainId, BigInt(chainId)));
  return row?.comparedBlock ?? null;
}

export async function setComparedBlock(tx: Tx, chainId: number, comparedBlock: bigint): Promise<void> {
  await tx
    .update(chainCursor)
    .set({ comparedBlock })
    .where(eq(chainCursor.chainId, BigInt(chainId)));
}

export type ForeignEntry = typeof foreignEntries.$inferInsert;

/** Records entries of others; answers those that were not known before. */
export async function insertForeignEntries(tx: Tx, entries: readonly ForeignEntry[]): Promise<ForeignEntry[]> {
  if (entries.length === 0) return [];
  return tx
    .insert(foreignEntries)
    .values([...entries])
    .onConflictDoNothing()
    .returning();
}

/** Forgets that entries were seen after a block, and that queues were compared beyond it. */
export async function takeBackComparison(tx: Tx, chainId: number, after: bigint): Promise<void> {
  await tx.delete(foreignEntries).where(gt(foreignEntries.enqueuedBlock, after));
  await tx
    .update(chainCursor)
    .set({ comparedBlock: sql`least(${chainCursor.comparedBlock}, ${after})` })
    .where(eq(chainCursor.chainId, BigInt(chainId)));
}

/** The blocks seen up to a number, newest first. */
export async function listSeenBlocks(on: Executor, upTo: bigint): Promise<SeenBlock[]> {
  return on.select().from(chainBlocks).where(lte(chainBlocks.blockNumber, upTo)).orderBy(desc(chainBlocks.blockNumber));
}

/** Remembers blocks and forgets those before `oldest`. */
export async function insertSeenBlocks(tx: Tx, blocks: readonly SeenBlock[], oldest: bigint): Promise<void> {
  await tx
    .insert(chainBlocks)
    .values([...blocks])
    .onConflictDoNothing();
  await tx.delete(chainBlocks).where(lt(chainBlocks.blockNumber, oldest));
}

/** Remembers a block that rows are about to rest on; false when another block was seen in its place. */
export async function insertSeenBlock(tx: Tx, { blockNumber, blockHash }: SeenBlock): Promise<boolean> {
  await tx.insert(chainBlocks).values({ blockNumber, blockHash }).onConflictDoNothing();
  const [row] = await tx.select().from(chainBlocks).where(eq(chainBlocks.blockNumber, blockNumber));
  return row?.blockHash === blockHash;
}

/** Forgets the blocks after one. */
export async function deleteSeenBlocks(tx: Tx, after: bigint): Promise<void> {
  await tx.delete(chainBlocks).where(gt(chainBlocks.blockNumber, after));
}

/** The Safes with rows that rest on blocks after one, in the order in which they are to be locked. */
export async function listSafesAfter(on: Executor, after: bigint): Promise<string[]> {
  const ofDelays = on
    .select({ id: delayTransactions.safeId })
    .from(delayTransactions)
    .where(or(gt(delayTransactions.enqueuedBlock, after), gt(delayTransactions.endedBlock, after)));
  const ofDeployments = on
    .select({ id: relayTransactions.subjectId })
    .from(relayTransactions)
    .where(gt(relayTransactions.blockNumber, after));
  const ofTransfers = on
    .select({ id: cardTransfers.safeId })
    .from(cardTransfers)
    .where(gt(cardTransfers.endedBlock, after));
  const rows = await on
    .select({ id: safes.id })
    .from(safes)
    .where(inArray(safes.id, union(ofDelays, ofDeployments, ofTransfers)))
    .orderBy(asc(safes.id));
  return rows.map(({ id }) => id);
}

/**
 * Takes back every relay transaction that was mined, or lost its nonce, after a block; answers them in the order of their
 * nonces.
 */
export async function takeBackRelayTransactions(tx: Tx, after: bigint, now: Date): Promise<RelayTransaction[]> {
  const rows = await tx
    .update(relayTransactions)
    .set({ status: "ROLLED_BACK", minedHash: null, blockNumber: null, blockHash: null, minedAt: null, updatedAt: now })
    .where(
      and(gt(relayTransactions.blockNumber, after), inArray(relayTransactions.status, ["MINED", "REVERTED", "LOST"])),
    )
    .returning();
  return rows.sort((a, b) => Number(a.nonce - b.nonce));
}

const comesBackTo = (to: DelayStatus) => inArray(delayTransactions.status, listUndoOrigins(delayMachine, to));

/** Takes operations back whose enqueue is not on chain any more, or whose refusal does not stand. */
export async function takeBackEnqueues(tx: Tx, after: bigint, now: Date): Promise<DelayTransaction[]> {
  const isRefusal = and(isNull(delayTransactions.enqueuedBlock), gt(delayTransactions.endedBlock, after));
  return requeue(tx, and(or(gt(delayTransactions.enqueuedBlock, after), isRefusal), comesBackTo("QUEUING")), now);
}

/** Takes one operation back that the chain's queue does not hold. */
export async function takeBackEnqueue(tx: Tx, id: string, now: Date): Promise<DelayTransaction | null> {
  const [row] = await requeue(tx, and(eq(delayTransactions.id, id), comesBackTo("QUEUING")), now);
  return row ?? null;
}

function requeue(tx: Tx, which: SQL | undefined, now: Date): Promise<DelayTransaction[]> {
  return tx
    .update(delayTransactions)
    .set({
      status: "QUEUING",
      queueNonce: null,
      enqueuedHash: null,
      enqueuedBlock: null,
      dispatchTaskId: null,
      executedHash: null,
      endedBlock: null,
      readyAt: null,
      expiresAt: null,
      reason: null,
      updatedAt: now,
    })
    .where(which)
    .returning();
}

/** Takes operations back that are in the queue, and whose end is not on chain any more. */
export async function takeBackEnds(tx: Tx, after: bigint, now: Date): Promise<DelayTransaction[]> {
  return tx
    .update(delayTransactions)
    .set({ status: "WAITING", executedHash: null, endedBlock: null, reason: null, updatedAt: now })
    .where(
      and(lte(delayTransactions.enqueuedBlock, after), gt(delayTransactions.endedBlock, after), comesBackTo("WAITING")),
    )
    .returning();
}

/** Takes a Safe back to where its deployment is looked at again; null when it is not one that comes back there. */
export async function takeBackSafe(tx: Tx, id: string, to: SafeStatus, now: Date): Promise<Safe | null> {
  const [row] = await tx
    .update(safes)
    .set({ status: to, updatedAt: now })
    .where(and(eq(safes.id, id), inArray(safes.status, listUndoOrigins(safeMachine, to))))
    .returning();
  return row ?? null;
}
