/** Lists of delayed operations. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { isFinalState } from "@cardkeep/contract/core/machine";
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, asc, desc, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";
import type { Executor, Reads } from "../../../client.ts";
import { isOneOf } from "../../../schema/columns.ts";
import { finalDelaysText } from "../../../schema/accounts/delays.ts";
import { delayTransactions, safes } from "../../../schema/tables.ts";
import type { Safe } from "../safes.ts";
import { type DelayTransaction, isOpenDelay } from "./delays.ts";

/** Open operations of one Safe in the order of their acceptance. */
export async function listOpenDelays(on: Executor, safeId: string): Promise<DelayTransaction[]> {
  return on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), isOpenDelay))
    .orderBy(asc(delayTransactions.sequence));
}

/** A Safe's operations that were accepted between two instants, oldest first. */
export async function listDelaysWithin(
  on: Executor,
  { safeId, from, until, limit }: { safeId: string; from: Date; until: Date; limit: number },
): Promise<DelayTransaction[]> {
  const { createdAt } = delayTransactions;
  return on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), gte(createdAt, from), lte(createdAt, until)))
    .orderBy(asc(createdAt))
    .limit(limit);
}

/** Open operations of all Safes, oldest first, that were accepted after one of them; from the oldest with null. */
export async function listAllOpenDelays(
  on: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<DelayTransaction[]> {
  return on
    .select()
    .from(delayTransactions)
    .where(and(isOpenDelay, after === null ? undefined : isAcceptedAfter(after)))
    .orderBy(asc(delayTransactions.sequence))
    .limit(limit);
}

/** Conditions on the operations of all users; null for none. */
export interface DelayFilter {
  isOpenOnly: boolean;
  status: DelayStatus | null;
  userId: string | null;
  safeAddress: Address | null;
  /** Id of the last operation of the page before. */
  after: string | null;
}

/** An operation with its Safe's address, token and cooldown. */
export type DelayOfSafe = DelayTransaction & {
  safeAddress: Address;
  tokenSymbol: Safe["tokenSymbol"];
  cooldownSeconds: Safe["cooldownSeconds"];
};

const sequenceOf = (id: string): SQL =>
  sql`(select last.sequence from ${delayTransactions} last where last.id = ${id})`;
const isAcceptedBefore = (id: string): SQL => sql`${delayTransactions.sequence} < ${sequenceOf(id)}`;
const isAcceptedAfter = (id: string): SQL => sql`${delayTransactions.sequence} > ${sequenceOf(id)}`;

const isOwnerOf = (safeAddress: Address): SQL =>
  sql`${delayTransactions.userId} = (select own.user_id from ${safes} own where own.address = ${safeAddress})`;

/** Operations of all users, newest first. */
export async function listAllDelays(on: Executor, input: DelayFilter & { limit: number }): Promise<DelayOfSafe[]> {
  const { sequence, status, userId } = delayTransactions;
  const { address: safeAddress, tokenSymbol, cooldownSeconds } = safes;
  const isOpen = input.isOpenOnly || (input.status !== null && !isFinalState(delayMachine, input.status));
  // The same order as a sum, so that Postgres does not scan the index of all operations for the few open ones.
  const order = isOpen ? sql`${sequence} + 0` : sequence;
  return on
    .select({ ...getTableColumns(delayTransactions), safeAddress, tokenSymbol, cooldownSeconds })
    .from(delayTransactions)
    .innerJoin(safes, eq(safes.id, delayTransactions.safeId))
    .where(
      and(
        isOpen ? isOpenDelay : undefined,
        // Spelled, so that a plan for every parameter uses the partial indexes.
        input.status === null ? undefined : isOneOf(status, [input.status]),
        input.userId === null ? undefined : eq(userId, input.userId),
        input.safeAddress === null ? undefined : and(eq(safeAddress, input.safeAddress), isOwnerOf(input.safeAddress)),
        input.after === null ? undefined : isAcceptedBefore(input.after),
      ),
    )
    .orderBy(desc(order))
    .limit(input.limit);
}

/**
 * An operation of a user's list with the address of its Safe. `call` is the target of its data: with `withCall`, or without
 * data.
 */
export type ListedDelay = Pick<
  DelayTransaction,
  "id" | "data" | "enqueueTaskId" | "dispatchTaskId" | "readyAt" | "operation" | "userId" | "status" | "createdAt"
> & { safeAddress: Address; call: { to: Address; value: string } | null };

/**
 * The columns of both halves in the order of the answer, then what it is sorted by. In another order each half would be
 * copied once more, column by column, which costs Postgres a tenth of the statement.
 */
const selectHalf = (isCallListed: string): string => `
  select d.id, s.address as "safeAddress", d.data,
    case when ${isCallListed} then json_build_object('to', d."to", 'value', d.value::text) end as call,
    d.enqueue_task_id as "enqueueTaskId", d.dispatch_task_id as "dispatchTaskId", d.ready_at as "readyAt", d.operation,
    d.user_id as "userId", d.status, d.created_at as "createdAt", s.created_at as safe_created_at, d.queue_nonce, d.sequence`;

const selectDelays = (isCallListed: string): string => `
  select id, "safeAddress", data, call, "enqueueTaskId", "dispatchTaskId", "readyAt", operation, "userId", status, "createdAt"
  from (
    (${selectHalf(isCallListed)}
      from delay_transactions d join safes s on s.id = d.safe_id
      where d.user_id = $1 and d.status = 'EXECUTED' order by d.sequence desc limit $2)
    union all
    (${selectHalf(isCallListed)}
      from safes s join delay_transactions d on d.safe_id = s.id
      where s.user_id = $1 and d.status not in (${finalDelaysText}))
  ) delays
  order by safe_created_at, queue_nonce, sequence`;

const selectWithCalls = selectDelays("true");
const selectWithoutCalls = selectDelays("d.data = '0x'");

/**
 * A user's open operations and the last `executedMax` executed ones: Safe by Safe in the order of its Delay module's
 * queue, then those that are not in it yet. An index leads to each half.
 */
export const listDelays = async (
  reads: Reads,
  { userId, executedMax, withCall }: { userId: string; executedMax: number; withCall: boolean },
): Promise<ListedDelay[]> =>
  reads.unsafe<ListedDelay[]>(withCall ? selectWithCalls : selectWithoutCalls, [userId, executedMax], {
    prepare: true,
  });
