/** Delayed operations. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/delays";
import { listFinalStates, listOrigins } from "@cardkeep/contract/machine";
import type { Address } from "@cardkeep/contract/primitives";
import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Executor, Reads, Tx } from "../client.ts";
import { insertIfNew, selectRows } from "../rows.ts";
import { isNoneOf } from "../schema/columns.ts";
import { finalDelaysText } from "../schema/statusLists.ts";
import { delayTransactions, safes } from "../schema/tables.ts";
import type { Safe } from "./safes.ts";

export type DelayTransaction = typeof delayTransactions.$inferSelect;

/** Whether an operation is open: neither executed nor failed. */
export const isOpenDelay = isNoneOf(delayTransactions.status, listFinalStates(delayMachine));

export async function findDelay(on: Executor, id: string): Promise<DelayTransaction | null> {
  const [row] = await selectRows(on, delayTransactions, sql`where ${delayTransactions.id} = ${id}`);
  return row ?? null;
}

/** Inserts an operation; null when its signed message was accepted before. */
export async function insertDelay(
  tx: Tx,
  row: typeof delayTransactions.$inferInsert,
): Promise<DelayTransaction | null> {
  return insertIfNew(tx, delayTransactions, row);
}

/** Open operations of one Safe in the order of their acceptance. */
export async function listOpenDelays(on: Executor, safeId: string): Promise<DelayTransaction[]> {
  return on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), isOpenDelay))
    .orderBy(asc(delayTransactions.sequence));
}

/** Which of everybody's operations are listed; null for all. */
export interface DelayFilter {
  isOpenOnly: boolean;
  status: DelayStatus | null;
  userId: string | null;
  safeAddress: Address | null;
  /** The last one that is known already. */
  after: string | null;
}

/** Operations of everybody, newest first, each with its Safe's address and token. */
export async function listAllDelays(
  on: Executor,
  input: DelayFilter & { limit: number },
): Promise<(DelayTransaction & { safeAddress: Address; tokenSymbol: Safe["tokenSymbol"] })[]> {
  const { id } = delayTransactions;
  // The same order, but none that an index is in: few are open, and Postgres would look for them among all by their ids.
  const order = input.isOpenOnly ? sql`${id} collate "C"` : id;
  return on
    .select({ ...getTableColumns(delayTransactions), safeAddress: safes.address, tokenSymbol: safes.tokenSymbol })
    .from(delayTransactions)
    .innerJoin(safes, eq(safes.id, delayTransactions.safeId))
    .where(
      and(
        input.isOpenOnly ? isOpenDelay : undefined,
        input.status === null ? undefined : eq(delayTransactions.status, input.status),
        input.userId === null ? undefined : eq(delayTransactions.userId, input.userId),
        input.safeAddress === null ? undefined : eq(safes.address, input.safeAddress),
        input.after === null ? undefined : lt(delayTransactions.id, input.after),
      ),
    )
    .orderBy(desc(order))
    .limit(input.limit);
}

/** An operation of a user's list with the address of its Safe; `call`: what its data is sent to, where that was asked for or there is no data. */
export type ListedDelay = Pick<
  DelayTransaction,
  "id" | "data" | "enqueueTaskId" | "dispatchTaskId" | "readyAt" | "operation" | "userId" | "status" | "createdAt"
> & { safeAddress: Address; call: { to: Address; value: string } | null };

/**
 * A user's open operations and the last `executedMax` executed ones: Safe by Safe in the order of its Delay module's
 * queue, then those that are not in it yet. An index leads to each half.
 */
export const listDelays = (
  reads: Reads,
  { userId, executedMax, withCall }: { userId: string; executedMax: number; withCall: boolean },
): Promise<ListedDelay[]> =>
  reads<ListedDelay[]>`
    select id, safe_address as "safeAddress", data,
      case when ${withCall} or data = '0x' then json_build_object('to', "to", 'value', value::text) end as call, enqueue_task_id as "enqueueTaskId",
      dispatch_task_id as "dispatchTaskId", ready_at as "readyAt", operation, user_id as "userId", status,
      created_at as "createdAt"
    from (
      (select d.*, s.address as safe_address, s.created_at as safe_created_at
        from delay_transactions d join safes s on s.id = d.safe_id
        where d.user_id = ${userId} and d.status = 'EXECUTED' order by d.sequence desc limit ${executedMax})
      union all
      (select d.*, s.address as safe_address, s.created_at as safe_created_at
        from safes s join delay_transactions d on d.safe_id = s.id
        where s.user_id = ${userId} and d.status not in (${reads.unsafe(finalDelaysText)}))
    ) delays
    order by safe_created_at, queue_nonce, sequence`;

/** Open operations of all Safes; at most so many of the oldest. */
export async function listAllOpenDelays(on: Executor, countMax: number): Promise<DelayTransaction[]> {
  return on
    .select()
    .from(delayTransactions)
    .where(isOpenDelay)
    .orderBy(asc(delayTransactions.sequence))
    .limit(countMax);
}

/** A place in the queue of a Delay module. */
export type QueuePlace = { delayAddress: Address; queueNonce: bigint };

/** Those of some places in queues that operations of ours hold. */
export async function listHeldPlaces(on: Executor, places: readonly QueuePlace[]): Promise<QueuePlace[]> {
  const wanted = places.map(({ delayAddress, queueNonce }) => ({ delay: delayAddress, nonce: String(queueNonce) }));
  const { delayAddress, queueNonce } = delayTransactions;
  const rows = await on.execute<{ delay: Address; nonce: string }>(sql`
    select p.delay, p.nonce::text from json_to_recordset(${JSON.stringify(wanted)}::json) as p(delay text, nonce bigint)
    join ${delayTransactions} on ${delayAddress} = p.delay and ${queueNonce} = p.nonce`);
  return rows.map(({ delay, nonce }) => ({ delayAddress: delay, queueNonce: BigInt(nonce) }));
}

/** Operations of some Delay modules that were accepted and are not known to be in the queue. */
export async function listQueuing(
  on: Executor,
  delayAddresses: readonly Address[],
): Promise<Pick<DelayTransaction, "delayAddress" | "messageHash">[]> {
  const { delayAddress, messageHash, status } = delayTransactions;
  return on
    .select({ delayAddress, messageHash })
    .from(delayTransactions)
    .where(and(inArray(delayAddress, [...delayAddresses]), eq(status, "QUEUING")));
}

/**
 * The newest block up to an operation's own at whose beginning nothing else was in the queue: there the one before had
 * left it already. Null where the rows do not tell.
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

/** The block in which a Safe's daily limit was changed last by an operation of ours. */
export async function findLastLimitBlock(on: Executor, safeId: string): Promise<bigint | null> {
  const { endedBlock, kind, status } = delayTransactions;
  const [row] = await on
    .select({ block: endedBlock })
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), eq(kind, "limit"), eq(status, "EXECUTED")))
    .orderBy(desc(delayTransactions.createdAt))
    .limit(1);
  return row?.block ?? null;
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
