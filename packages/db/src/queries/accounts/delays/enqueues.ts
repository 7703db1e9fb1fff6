/** Accepted operations on their way into the queues of their Delay modules. */
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { listOrigins } from "@cardkeep/contract/core/machine";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { and, asc, eq, inArray, not, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { selectRows } from "../../../rows.ts";
import { isOneOf } from "../../../schema/columns.ts";
import { delayTransactions, openRelays, relaySubjects } from "../../../schema/tables.ts";
import type { DelayTransaction } from "./delays.ts";

/** Whether an operation is one of these: one parameter for however many, so that it stays one statement. */
const isAmong = (ids: readonly string[]): SQL =>
  sql`${delayTransactions.id} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`;

const isOwnEnqueue = sql`${relaySubjects.subjectId} = ${delayTransactions.id} and ${relaySubjects.purpose} = 'delay.enqueue'`;
const isSigned = sql`exists (select from ${relaySubjects} join ${openRelays}
  on ${openRelays.relayTransactionId} = ${relaySubjects.relayTransactionId} where ${isOwnEnqueue})`;
const isToEnqueue = and(isOneOf(delayTransactions.status, ["QUEUING"]), not(isSigned));

/** What is to be known of an accepted operation to bring it into its queue. */
const toEnqueue = {
  id: delayTransactions.id,
  safeId: delayTransactions.safeId,
  userId: delayTransactions.userId,
  requestId: delayTransactions.requestId,
  delayAddress: delayTransactions.delayAddress,
  enqueueData: delayTransactions.enqueueData,
  enqueueTaskId: delayTransactions.enqueueTaskId,
};

/** An accepted operation for which no enqueue is under way, and whether none ever was. */
export type ToEnqueue = Pick<DelayTransaction, keyof typeof toEnqueue> & { isNew: boolean };

/** First of each person the oldest, then of each the second: however many one person asks for, the others' come beside them. */
const byTurn = sql`row_number() over (partition by ${delayTransactions.userId} order by ${delayTransactions.sequence})`;

/** The oldest accepted operations of one Safe, with some ids, or of all people in turn, for which no enqueue is under way. */
export async function listToEnqueue(
  on: Executor,
  input: { safeId?: string; ids?: readonly string[]; countMax: number },
): Promise<ToEnqueue[]> {
  const isNew = sql<boolean>`not exists (select from ${relaySubjects} where ${isOwnEnqueue})`;
  return on
    .select({ ...toEnqueue, isNew })
    .from(delayTransactions)
    .where(
      and(
        isToEnqueue,
        input.safeId === undefined ? undefined : eq(delayTransactions.safeId, input.safeId),
        input.ids && isAmong(input.ids),
      ),
    )
    .orderBy(...((input.safeId ?? input.ids) ? [] : [byTurn]), asc(delayTransactions.sequence))
    .limit(input.countMax);
}

/** The oldest accepted operation of a Safe for which no enqueue is under way. */
export async function findNextToEnqueue(on: Executor, safeId: string): Promise<ToEnqueue | null> {
  const [row] = await listToEnqueue(on, { safeId, countMax: 1 });
  return row ?? null;
}

/** Whether a signed enqueue of one of a Safe's operations is neither settled nor lost. */
export async function isEnqueueOpen(on: Executor, safeId: string): Promise<boolean> {
  const isOpen = and(eq(delayTransactions.safeId, safeId), isOneOf(delayTransactions.status, ["QUEUING"]), isSigned);
  return (await on.$count(delayTransactions, isOpen)) > 0;
}

/** Locks the operations that no other transaction has locked. Returns their ids. */
export async function lockFreeDelays(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .select({ id: delayTransactions.id })
    .from(delayTransactions)
    .where(isAmong(ids))
    .for("no key update", { skipLocked: true });
  return rows.map(({ id }) => id);
}

/** The operations with some ids, in any state. */
export async function listDelaysAmong(on: Executor, ids: readonly string[]): Promise<DelayTransaction[]> {
  return selectRows(on, delayTransactions, sql`where ${isAmong(ids)}`);
}

/** Where an enqueued operation came to stand in its queue, and from when to when it can run. */
export interface Queued {
  id: string;
  queueNonce: bigint;
  readyAt: Date;
  /** Null where it never expires. */
  expiresAt: Date | null;
}

/** Moves operations on to WAITING that one transaction enqueued; answers which were in a state to go there. */
export async function moveToWaiting(
  tx: Tx,
  queued: readonly Queued[],
  { enqueuedHash, enqueuedBlock, updatedAt }: { enqueuedHash: Hex; enqueuedBlock: bigint; updatedAt: Date },
): Promise<string[]> {
  const rows = queued.map(({ id, queueNonce, readyAt, expiresAt }) => ({
    id,
    queue_nonce: String(queueNonce),
    ready_at: readyAt,
    expires_at: expiresAt,
  }));
  // Another transaction may move some of the same: both lock them in one order.
  const moved = await tx.execute<{ id: string }>(sql`
    with locked as materialized (select id from ${delayTransactions}
      where ${isAmong(queued.map(({ id }) => id))} order by id for no key update)
    update ${delayTransactions} set status = 'WAITING', enqueued_hash = ${enqueuedHash}, enqueued_block = ${enqueuedBlock},
      queue_nonce = q.queue_nonce, ready_at = q.ready_at, expires_at = q.expires_at, updated_at = ${updatedAt.toISOString()}
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as q(id text, queue_nonce bigint, ready_at timestamptz, expires_at timestamptz)
    where ${delayTransactions.id} = q.id and ${delayTransactions.id} in (select id from locked) and ${inArray(delayTransactions.status, listOrigins(delayMachine, "WAITING"))}
    returning ${delayTransactions.id}`);
  return moved.map(({ id }) => id);
}
