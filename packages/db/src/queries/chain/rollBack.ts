/** Rolls rows back that rest on removed blocks. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { listUndoOrigins } from "@cardkeep/contract/core/machine";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/accounts/safes";
import { and, asc, eq, gt, inArray, isNull, lte, or, sql, type SQL } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../../client.ts";
import { cardTransfers, delayTransactions, relaySubjects, relayTransactions, safes } from "../../schema/tables.ts";
import type { DelayTransaction } from "../accounts/delays/delays.ts";
import type { RelayPurpose } from "../../schema/chain/relayers.ts";
import { isOneOf } from "../../schema/columns.ts";
import type { RelayTransaction } from "./relay/transactions.ts";
import type { Safe } from "../accounts/safes.ts";

/** The Safes with rows that rest on blocks after one, in the order in which they are to be locked. */
export async function listSafesAfter(on: Executor, after: bigint): Promise<string[]> {
  const ofDelays = on
    .select({ id: delayTransactions.safeId })
    .from(delayTransactions)
    .where(or(gt(delayTransactions.enqueuedBlock, after), gt(delayTransactions.endedBlock, after)));
  const ofDeployments = on
    .select({ id: relaySubjects.subjectId })
    .from(relayTransactions)
    .innerJoin(relaySubjects, eq(relaySubjects.relayTransactionId, relayTransactions.id))
    .where(gt(relayTransactions.blockNumber, after));
  const ofTransfers = on
    .select({ id: cardTransfers.safeId })
    .from(cardTransfers)
    .where(gt(cardTransfers.endedBlock, after));
  const ofSetUps = on.select({ id: safes.id }).from(safes).where(gt(safes.setUpBlock, after));
  const rows = await on
    .select({ id: safes.id })
    .from(safes)
    .where(inArray(safes.id, union(ofDelays, ofDeployments, ofTransfers, ofSetUps)))
    .orderBy(asc(safes.id));
  return rows.map(({ id }) => id);
}

/** What the chain runs again, however often it is asked to. */
const repeatables: readonly RelayPurpose[] = ["card.return", "order.return", "treasury.transfer"];
/** One that reverted was given up with its block. Sent again it could run, beside the one that was signed after it. */
const isGivenUp = and(
  inArray(relayTransactions.purpose, [...repeatables]),
  isOneOf(relayTransactions.status, ["REVERTED"]),
);

/** Rolls back every relay transaction that was mined, or lost, after a block. Returns them in the order of their nonces. */
export async function rollBackRelayTransactions(tx: Tx, after: bigint, now: Date): Promise<RelayTransaction[]> {
  const rows = await tx
    .update(relayTransactions)
    .set({
      status: "ROLLED_BACK",
      minedHash: null,
      blockNumber: null,
      blockHash: null,
      minedAt: null,
      lostAt: sql`case when ${isGivenUp} then ${now.toISOString()}::timestamptz else ${relayTransactions.lostAt} end`,
      updatedAt: now,
    })
    .where(
      and(gt(relayTransactions.blockNumber, after), inArray(relayTransactions.status, ["MINED", "REVERTED", "LOST"])),
    )
    .returning();
  return rows.sort((a, b) => Number(a.nonce - b.nonce));
}

const comesBackTo = (to: DelayStatus) => inArray(delayTransactions.status, listUndoOrigins(delayMachine, to));

/** Rolls back operations whose enqueue, or whose refusal, is not on chain any more. */
export async function rollBackEnqueues(tx: Tx, after: bigint, now: Date): Promise<DelayTransaction[]> {
  const isRefusal = and(isNull(delayTransactions.enqueuedBlock), gt(delayTransactions.endedBlock, after));
  return requeue(tx, and(or(gt(delayTransactions.enqueuedBlock, after), isRefusal), comesBackTo("QUEUING")), now);
}

/** Rolls back one operation that the chain's queue does not hold. */
export async function rollBackEnqueue(tx: Tx, id: string, now: Date): Promise<DelayTransaction | null> {
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

/** Rolls back operations in the queue whose end is not on chain any more. */
export async function rollBackEnds(tx: Tx, after: bigint, now: Date): Promise<DelayTransaction[]> {
  return tx
    .update(delayTransactions)
    .set({ status: "WAITING", executedHash: null, endedBlock: null, reason: null, updatedAt: now })
    .where(
      and(lte(delayTransactions.enqueuedBlock, after), gt(delayTransactions.endedBlock, after), comesBackTo("WAITING")),
    )
    .returning();
}

/** Rolls a Safe back to a status in which its deployment is checked again; null where its status does not allow that. */
export async function rollBackSafe(tx: Tx, id: string, to: SafeStatus, now: Date): Promise<Safe | null> {
  const [row] = await tx
    .update(safes)
    .set({ status: to, updatedAt: now })
    .where(and(eq(safes.id, id), inArray(safes.status, listUndoOrigins(safeMachine, to))))
    .returning();
  return row ?? null;
}

/** Forgets set-ups in removed blocks, and returns their Safes: what they ran before is to be read again. They are locked. */
export async function forgetSetUpBlocks(tx: Tx, after: bigint): Promise<Safe[]> {
  return tx.update(safes).set({ setUpBlock: null }).where(gt(safes.setUpBlock, after)).returning();
}
