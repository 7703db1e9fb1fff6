/** What came back to people beyond what was captured. */
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";

/** A payment that returned more than it captured. */
export interface CreditAlone {
  threadId: string;
  /** In minor units of its currency. */
  cents: bigint;
}

/** A person's credits beyond captures to which something came since an instant, without that of one payment. */
export async function listCreditsAlone(
  on: Executor,
  { userId, since, otherThan }: { userId: string; since: Date; otherThan: string | null },
): Promise<CreditAlone[]> {
  // The kinds of a clearing are within those of the index.
  const rows = await on.execute<{ threadId: string; cents: string }>(sql`
    select p.thread_id as "threadId", (p.refunded_cents - p.captured_cents)::text as cents from card_payments p
    where p.user_id = ${userId} and p.refunded_cents > p.captured_cents and p.id is distinct from ${otherThan}::text
      and p.id in (select c.payment_id from card_clearings c where c.user_id = ${userId}
        and c.kind in ('refund', 'capture_reversal') and c.created_at >= ${since.toISOString()}::timestamptz)`);
  return rows.map(({ threadId, cents }) => ({ threadId, cents: BigInt(cents) }));
}

/**
 * Whether operators closed the case of a thread that waited as a credit, and have not accepted it since. Where older versions did
 * not record why it waited, it counts as one.
 */
export async function isThreadRefused(on: Executor, threadId: string): Promise<boolean> {
  const [last] = await on.execute<{ verb: string }>(sql`
    select a.verb from card_cases c join operator_actions a on a.subject_kind = 'case' and a.subject_id = c.id
    where c.kind = 'unbooked' and c.subject_id = ${threadId} and (a.verb = 'cases.accept'
      or (a.verb = 'cases.close' and coalesce(a.before ->> 'unbooked', 'credit') = 'credit'))
    order by a.sequence desc limit 1`);
  return last?.verb === "cases.close";
}

/**
 * Cents that operators accepted last of some threads, by the thread; below zero where it takes money. Null stands for all of it:
 * older versions did not record the amount.
 */
export async function listAcceptedCents(
  on: Executor,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, bigint | null>> {
  const rows = await on.execute<{ threadId: string; cents: string | null }>(sql`
    select distinct on (c.subject_id) c.subject_id as "threadId", a.after ->> 'creditCents' as cents from card_cases c
    join operator_actions a on a.subject_kind = 'case' and a.subject_id = c.id and a.verb = 'cases.accept'
    where c.kind = 'unbooked' and c.subject_id in (select json_array_elements_text(${JSON.stringify(threadIds)}::json))
    order by c.subject_id, a.sequence desc`);
  return new Map(rows.map(({ threadId, cents }) => [threadId, cents === null ? null : BigInt(cents)]));
}
