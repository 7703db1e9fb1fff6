/** Refunds that do not go on by themselves, for the operator. */
import { transferMachine } from "@cardkeep/contract/spending/spending";
import { type CardCaseKind, type CardCaseStatus, waitingCaptureKinds } from "@cardkeep/contract/spending/cardCases";
import { and, asc, eq, not, type SQL, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../../client.ts";
import { type UnmatchedReason, unmatchedReasons } from "../../schema/spending/unmatchedThreads.ts";
import { isOneOf, spell } from "../../schema/columns.ts";
import { cardCases, liveTransfers, orderReturns, unmatchedThreads } from "../../schema/tables.ts";
import { isOpenLiveTransfer } from "./liveTransfers.ts";

export type UnmatchedThread = typeof unmatchedThreads.$inferSelect;

/**
 * Records a thread that cannot be booked, or that it was seen again. What operators accepted stays accepted as long as the
 * thread comes to the same amount: they may accept it at this moment.
 *
 * An answer that cannot be read says nothing of the thread: what was known before, and may have been decided, stays as it is.
 * Answers whether the row was written.
 */
export async function upsertUnmatchedThread(
  tx: Tx,
  row: Omit<typeof unmatchedThreads.$inferInsert, "acceptedAt">,
): Promise<boolean> {
  const { threadId: _, issuer: __, ...change } = row;
  const isSame = sql`${unmatchedThreads.amountMinor} = excluded.amount_minor`;
  const rows = await tx
    .insert(unmatchedThreads)
    .values(row)
    .onConflictDoUpdate({
      target: [unmatchedThreads.threadId, unmatchedThreads.issuer],
      set: { ...change, acceptedAt: sql`case when ${isSame} then ${unmatchedThreads.acceptedAt} end` },
      ...(row.reason === "unreadable" && { setWhere: eq(unmatchedThreads.reason, "unreadable") }),
    })
    .returning({ threadId: unmatchedThreads.threadId });
  return rows.length > 0;
}

export async function findUnmatchedThread(on: Executor, threadId: string): Promise<UnmatchedThread | null> {
  const [row] = await on.select().from(unmatchedThreads).where(eq(unmatchedThreads.threadId, threadId)).limit(1);
  return row ?? null;
}

/** Accepts a thread with the amount that it has now, and answers it; null where it is not among these reasons. */
export async function acceptUnmatchedThread(
  tx: Tx,
  { threadId, reasons, acceptedAt }: { threadId: string; reasons: readonly UnmatchedReason[]; acceptedAt: Date },
): Promise<UnmatchedThread | null> {
  const isWanted = and(eq(unmatchedThreads.threadId, threadId), isOneOf(unmatchedThreads.reason, reasons));
  const [row] = await tx.update(unmatchedThreads).set({ acceptedAt }).where(isWanted).returning();
  return row ?? null;
}

/** Forgets that a thread could not be booked; false where it could. */
export async function deleteUnmatchedThread(tx: Tx, threadId: string): Promise<boolean> {
  const rows = await tx.delete(unmatchedThreads).where(eq(unmatchedThreads.threadId, threadId)).returning();
  return rows.length > 0;
}

/** The kinds of case in which a thread waits: with its id they find a case by an index. */
const threadKinds: readonly CardCaseKind[] = ["unbooked", ...waitingCaptureKinds];

const hasCase = (status: CardCaseStatus): SQL => sql`exists (select from ${cardCases}
  where ${isOneOf(cardCases.kind, threadKinds)} and ${cardCases.subjectId} = ${unmatchedThreads.threadId}
    and ${isOneOf(cardCases.status, [status])})`;

/** Condition: operators settled the thread outside, or refused it. What they accepted still waits until it is booked. */
const isClosed: SQL = sql`(${unmatchedThreads.acceptedAt} is null and ${hasCase("CLOSED")} and not ${hasCase("OPEN")})`;

/** Threads that cannot be booked and whose cases are not closed, the one seen first at the front. */
export async function listUnmatchedThreads(db: Db, limit: number): Promise<UnmatchedThread[]> {
  return db.select().from(unmatchedThreads).where(not(isClosed)).orderBy(asc(unmatchedThreads.seenAt)).limit(limit);
}

/** More threads of one reason than these are not looked at. */
const unmatchedCountedMax = 5_000;

/** How many such threads there are, by the reason, of `unmatchedCountedMax` of each; 0 for a reason that none has. */
export async function countUnmatchedThreads(db: Db): Promise<{ reason: UnmatchedReason; count: number }[]> {
  // Each reason by its name: Postgres knows how many rows it has, and reads no table completely for one that has none.
  const counts = unmatchedReasons.map((reason) => {
    const name = sql.raw(spell([reason]));
    const some = sql`select * from ${unmatchedThreads} where ${unmatchedThreads.reason} = ${name} limit ${unmatchedCountedMax}`;
    return sql`select ${name} as reason, count(*)::int as count from (${some}) as ${unmatchedThreads} where not ${isClosed}`;
  });
  return db.execute<{ reason: UnmatchedReason; count: number }>(sql.join(counts, sql` union all `));
}

export interface WaitingReturns {
  count: number;
  /** How long the oldest has been planned, in seconds. */
  oldestSeconds: number;
}

/** Returns of card money and of orders that were planned so long ago and are not signed. */
export async function measureWaitingReturns(
  db: Db,
  { now, plannedBefore }: { now: Date; plannedBefore: Date },
): Promise<WaitingReturns> {
  const [row] = await db.execute<WaitingReturns & Record<string, unknown>>(sql`
    select count(*)::int, coalesce(max(extract(epoch from ${now.toISOString()}::timestamptz - created_at)), 0)::float8 as "oldestSeconds"
    from (
      select created_at from ${liveTransfers}
      where ${isOpenLiveTransfer} and ${isOneOf(liveTransfers.status, [transferMachine.initial])} and direction = 'return'
      union all
      select created_at from ${orderReturns} where signed_at is null and paid_at is null) planned
    where created_at < ${plannedBefore.toISOString()}::timestamptz`);
  return row ?? { count: 0, oldestSeconds: 0 };
}
