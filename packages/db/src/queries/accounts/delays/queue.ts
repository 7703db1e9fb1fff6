/** Delayed operations by their position in the queue of a Delay module. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { and, asc, desc, eq, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Executor } from "../../../client.ts";
import { isAmong } from "../../../many.ts";
import { isOneOf } from "../../../schema/columns.ts";
import { delayTransactions } from "../../../schema/tables.ts";
import { type DelayTransaction, isOpenDelay } from "./delays.ts";

/** A position in the queue of a Delay module. */
export type QueuePosition = { delayAddress: Address; queueNonce: bigint };

/** The positions that operations of this service hold. */
export async function listHeldPositions(on: Executor, positions: readonly QueuePosition[]): Promise<QueuePosition[]> {
  const wanted = positions.map(({ delayAddress, queueNonce }) => ({ delay: delayAddress, nonce: String(queueNonce) }));
  const { delayAddress, queueNonce } = delayTransactions;
  const rows = await on.execute<{ delay: Address; nonce: string }>(sql`
    select p.delay, p.nonce::text from json_to_recordset(${JSON.stringify(wanted)}::json) as p(delay text, nonce bigint)
    join ${delayTransactions} on ${delayAddress} = p.delay and ${queueNonce} = p.nonce`);
  return rows.map(({ delay, nonce }) => ({ delayAddress: delay, queueNonce: BigInt(nonce) }));
}

/** Accepted operations of some Delay modules whose enqueue is not on chain yet. */
export async function listQueuing(
  on: Executor,
  delayAddresses: readonly Address[],
): Promise<Pick<DelayTransaction, "delayAddress" | "messageHash">[]> {
  const { delayAddress, messageHash, status } = delayTransactions;
  return on
    .select({ delayAddress, messageHash })
    .from(delayTransactions)
    .where(and(isAmong(delayAddress, delayAddresses), isOneOf(status, ["QUEUING"])));
}

/** The operation of a signed message. */
export async function findDelayByMessage(
  on: Executor,
  message: { delay: Address; messageHash: Hex },
): Promise<DelayTransaction | null> {
  const { delayAddress, messageHash } = delayTransactions;
  const [row] = await on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayAddress, message.delay), eq(messageHash, message.messageHash)))
    .limit(1);
  return row ?? null;
}

/** The operation at one position of a Delay module's queue; null for a foreign entry. */
export async function findDelayByQueueNonce(
  on: Executor,
  delayAddress: Address,
  queueNonce: bigint,
): Promise<DelayTransaction | null> {
  const [row] = await on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.delayAddress, delayAddress), eq(delayTransactions.queueNonce, queueNonce)))
    .limit(1);
  return row ?? null;
}

const isQueued = isOneOf(delayTransactions.status, ["WAITING", "EXECUTING"]);

/** The first operation that waits behind one position of a Delay module's queue. */
export async function findDelayBehind(
  on: Executor,
  delayAddress: Address,
  queueNonce: bigint,
): Promise<DelayTransaction | null> {
  const [row] = await on
    .select()
    .from(delayTransactions)
    .where(
      and(eq(delayTransactions.delayAddress, delayAddress), gt(delayTransactions.queueNonce, queueNonce), isQueued),
    )
    .orderBy(asc(delayTransactions.queueNonce))
    .limit(1);
  return row ?? null;
}

/** Whether another operation of its Safe is to leave the queue before this one. */
export async function hasDelayBefore(
  on: Executor,
  { safeId, delayAddress, queueNonce }: Pick<DelayTransaction, "safeId" | "delayAddress"> & { queueNonce: bigint },
): Promise<boolean> {
  const { id, safeId: ofSafe, delayAddress: ofDelay, queueNonce: position } = delayTransactions;
  const isBefore = and(eq(ofSafe, safeId), eq(ofDelay, delayAddress), lt(position, queueNonce), isQueued, isOpenDelay);
  const rows = await on.select({ id }).from(delayTransactions).where(isBefore).limit(1);
  return rows.length > 0;
}

/** How many operations are to leave their queue before each of these. */
export async function countDelaysBefore(on: Executor, ids: readonly string[]): Promise<Map<string, number>> {
  const before = alias(delayTransactions, "before");
  const { id, safeId, delayAddress, queueNonce } = delayTransactions;
  const rows = await on
    .select({ id, count: sql<number>`count(${before.id})::int` })
    .from(delayTransactions)
    .leftJoin(
      before,
      and(
        eq(before.safeId, safeId),
        eq(before.delayAddress, delayAddress),
        lt(before.queueNonce, queueNonce),
        isOneOf(before.status, ["WAITING", "EXECUTING"]),
      ),
    )
    .where(inArray(id, [...ids]))
    .groupBy(id);
  return new Map(rows.map((row) => [row.id, row.count]));
}

/**
 * The newest enqueue, up to the given operation, that found the queue empty: the operation before it had ended already.
 * Returns its block, or null where the rows do not show one.
 */
export async function findEmptyQueueBlock(
  on: Executor,
  { delayAddress, queueNonce }: Pick<DelayTransaction, "delayAddress" | "queueNonce">,
): Promise<bigint | null> {
  const before = alias(delayTransactions, "before");
  const [row] = await on
    .select({ block: delayTransactions.enqueuedBlock })
    .from(delayTransactions)
    .leftJoin(
      before,
      and(
        eq(before.delayAddress, delayTransactions.delayAddress),
        eq(before.queueNonce, sql`${delayTransactions.queueNonce} - 1`),
      ),
    )
    .where(
      and(
        eq(delayTransactions.delayAddress, delayAddress),
        lte(delayTransactions.queueNonce, queueNonce ?? 0n),
        or(eq(delayTransactions.queueNonce, 0n), lt(before.endedBlock, delayTransactions.enqueuedBlock)),
      ),
    )
    .orderBy(desc(delayTransactions.queueNonce))
    .limit(1);
  return row?.block ?? null;
}

/** The block in which an operation of this service changed a Safe's daily limit last. */
export async function findLastLimitBlock(on: Executor, safeId: string): Promise<bigint | null> {
  const { endedBlock, kind, status } = delayTransactions;
  const [row] = await on
    .select({ block: endedBlock })
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), isOneOf(kind, ["limit"]), eq(status, "EXECUTED")))
    .orderBy(desc(delayTransactions.createdAt))
    .limit(1);
  return row?.block ?? null;
}
