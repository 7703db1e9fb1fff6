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

/** Whether operators closed the case of a thread that is not booked, and have not accepted it since. */
export async function isThreadRefused(on: Executor, threadId: string): Promise<boolean> {
  const [last] = await on.execute<{ verb: string }>(sql`
    select a.verb from card_cases c join operator_actions a on a.subject_kind = 'case' and a.subject_id = c.id
    where c.kind = 'unbooked' and c.subject_id = ${threadId} and a.verb in ('cases.accept', 'cases.close')
    order by a.sequence desc limit 1`);
  return last?.verb === "cases.close";
}

/** Those of some threads whose case operators accepted. */
export async function listAcceptedThreads(on: Executor, threadIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await on.execute<{ threadId: string }>(sql`
    select c.subject_id as "threadId" from card_cases c
    where c.kind = 'unbooked' and c.subject_id in (select json_array_elements_text(${JSON.stringify(threadIds)}::json))
      and exists (select from operator_actions a
        where a.subject_kind = 'case' and a.subject_id = c.id and a.verb = 'cases.accept')`);
  return new Set(rows.map(({ threadId }) => threadId));
}
