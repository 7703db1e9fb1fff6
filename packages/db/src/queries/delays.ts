/** Delayed operations. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/delays";
import { listFinalStates, listOrigins } from "@cardkeep/contract/machine";
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { and, asc, count, desc, eq, getTableColumns, gt, inArray, notExists, notInArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { openRelayStatuses } from "../schema/relayers.ts";
import { delayTransactions, relayTransactions, safes } from "../schema/tables.ts";

export type DelayTransaction = typeof delayTransactions.$inferSelect;

const isOpen = notInArray(delayTransactions.status, listFinalStates(delayMachine));

export async function findDelay(on: Executor, id: string): Promise<DelayTransaction | null> {
  const [row] = await on.select().from(delayTransactions).where(eq(delayTransactions.id, id)).limit(1);
  return row ?? null;
}

/** The operation a signed message stands for; the same message is never accepted twice. */
export async function findDelayByMessage(
  on: Executor,
  input: { delayAddress: Address; signer: Address; messageHash: Hex },
): Promise<DelayTransaction | null> {
  const [row] = await on
    .select()
    .from(delayTransactions)
    .where(
      and(
        eq(delayTransactions.delayAddress, input.delayAddress),
        eq(delayTransactions.signer, input.signer),
        eq(delayTransactions.messageHash, input.messageHash),
      ),
    )
    .limit(1);
  return row ?? null;
}

/** Inserts an operation; null when its signed message was accepted before. */
export async function insertDelay(
  tx: Tx,
  row: typeof delayTransactions.$inferInsert,
): Promise<DelayTransaction | null> {
  const [inserted] = await tx.insert(delayTransactions).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

/** Open operations of one Safe in the order of their acceptance. */
export async function listOpenDelays(on: Executor, safeId: string): Promise<DelayTransaction[]> {
  return on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), isOpen))
    .orderBy(asc(delayTransactions.sequence));
}

/** A user's open operations and the last `executedMax` executed ones, in execution order, each with its Safe's address. */
export async function listDelays(on: Executor, userId: string, executedMax: number) {
  const columns = { ...getTableColumns(delayTransactions), safeAddress: safes.address };
  const ofUser = eq(delayTransactions.userId, userId);
  const executed = await on
    .select(columns)
    .from(delayTransactions)
    .innerJoin(safes, eq(safes.id, delayTransactions.safeId))
    .where(and(ofUser, eq(delayTransactions.status, "EXECUTED")))
    .orderBy(desc(delayTransactions.sequence))
    .limit(executedMax);
  const open = await on
    .select(columns)
    .from(delayTransactions)
    .innerJoin(safes, eq(safes.id, delayTransactions.safeId))
    .where(and(ofUser, isOpen))
    .orderBy(asc(delayTransactions.sequence));
  return [...executed.reverse(), ...open];
}

/** How many operations a Safe has submitted since `since`. */
export async function countDelaysSince(on: Executor, safeId: string, since: Date): Promise<number> {
  const [row] = await on
    .select({ count: count() })
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), gt(delayTransactions.createdAt, since)));
  return row?.count ?? 0;
}

/** The oldest accepted operation of a Safe for which no enqueue has been signed. */
export async function findNextToEnqueue(on: Executor, safeId: string): Promise<DelayTransaction | null> {
  const signed = on
    .select({ one: sql`1` })
    .from(relayTransactions)
    .where(
      and(
        eq(relayTransactions.purpose, "delay.enqueue"),
        eq(relayTransactions.subjectId, delayTransactions.id),
        inArray(relayTransactions.status, [...openRelayStatuses]),
      ),
    );
  const [row] = await on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), eq(delayTransactions.status, "QUEUING"), notExists(signed)))
    .orderBy(asc(delayTransactions.sequence))
    .limit(1);
  return row ?? null;
}

/** The operation at one place of a Delay module's queue, where it is one of ours. */
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

/** The first operation of ours behind one place of a Delay module's queue. */
export async function findDelayBehind(
  on: Executor,
  delayAddress: Address,
  queueNonce: bigint,
): Promise<DelayTransaction | null> {
  const [row] = await on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.delayAddress, delayAddress), gt(delayTransactions.queueNonce, queueNonce)))
    .orderBy(asc(delayTransactions.queueNonce))
    .limit(1);
  return row ?? null;
}

type DelayChange = Omit<Partial<typeof delayTransactions.$inferInsert>, "id" | "status">;

/** Moves an operation on; null when it is in no state any more from which the machine's table lets it go there. */
export const moveDelay = (tx: Tx, id: string, to: DelayStatus, change: DelayChange): Promise<DelayTransaction | null> =>
  writeDelay(tx, id, listOrigins(delayMachine, to), { ...change, status: to });

/** Changes an operation that stays where it is; null when that is none of `states`. */
export const updateDelay = (
  tx: Tx,
  id: string,
  states: readonly DelayStatus[],
  change: DelayChange,
): Promise<DelayTransaction | null> => writeDelay(tx, id, states, change);

async function writeDelay(
  tx: Tx,
  id: string,
  states: readonly DelayStatus[],
  change: DelayChange & { status?: DelayStatus },
): Promise<DelayTransaction | null> {
  const [row] = await tx
    .update(delayTransactions)
    .set(change)
    .where(and(eq(delayTransactions.id, id), inArray(delayTransactions.status, [...states])))
    .returning();
  return row ?? null;
}
