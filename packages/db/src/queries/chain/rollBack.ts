/** Rolls rows back that rest on removed blocks. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/delays";
import { listUndoOrigins } from "@cardkeep/contract/machine";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/safes";
import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../../client.ts";
import { cardTransfers, delayTransactions, relayTransactions, safes } from "../../schema/tables.ts";
import type { DelayTransaction } from "../delays/delays.ts";
import type { RelayTransaction } from "../relay/transactions.ts";
import type { Safe } from "../safes.ts";

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
