import { sql } from "drizzle-orm";
import type { Service } from "../support/service.ts";

/**
 * Payments of which a case was promised and none shows it, in words: a shortfall of what the issuer approved without us,
 * captures without an authorization and refunds that are taken back, where they stay unpaid, captures beyond the policy, and what is not booked.
 */
export async function findMissingCases({ runtime: { db, settings } }: Service): Promise<string[]> {
  const { percent, aloneCentsMax } = settings.policy.overCapture;
  const rows = await db.execute<{ id: string; what: string }>(sql`
    with stood_in as materialized (select payment_id from card_stand_ins where approved_cents > 0),
    shown as materialized (select payment_id, kind from card_cases where payment_id is not null)
    select e.payment_id as id, 'a shortfall of a stand-in' as what
    from ledger_entries e join card_decisions d on d.user_id = e.user_id and d.payment_id = e.payment_id
    where e.owed > 0 and d.is_by_issuer and d.is_approved
      and e.payment_id in (select payment_id from stood_in)
      and e.payment_id not in (select payment_id from shown where kind = 'stand_in_shortfall')
    group by e.payment_id having max(e.created_at) >= min(d.created_at)
    union all
    select e.payment_id, 'an unpaid capture without an authorization'
    from ledger_entries e join card_payments p on p.id = e.payment_id and p.user_id = e.user_id
    where e.owed > 0 and p.thread_id like 'ipi_%'
      and e.payment_id not in (select payment_id from shown where kind = 'unpaid_capture')
    group by e.payment_id
    union all
    select e.payment_id, 'an unpaid capture of an authorization that had expired'
    from ledger_entries e join card_payments p on p.id = e.payment_id and p.user_id = e.user_id
    where e.owed > 0 and e.payment_id not in (select payment_id from shown where kind = 'unpaid_capture')
      and exists (select from card_clearings c where c.payment_id = p.id and c.user_id = p.user_id
        and c.kind = 'capture' and c.posted_at > p.expired_at and c.created_at <= e.created_at)
    group by e.payment_id
    union all
    select e.payment_id, 'an unpaid refund that was taken back'
    from ledger_entries e
    where e.owed > 0 and e.payment_id not in (select payment_id from shown where kind = 'unpaid_capture')
      and exists (select from card_clearings c where c.payment_id = e.payment_id and c.user_id = e.user_id
        and c.kind = 'refund_reversal' and c.created_at <= e.created_at)
    group by e.payment_id
    union all
    select t.thread_id, 'a thread that is not booked' from unmatched_threads t
    where not exists (select from card_cases c where c.thread_id = t.thread_id and c.kind in ('unbooked', 'double_capture', 'contradictory_capture')
      and (c.status = 'OPEN' or c.closed_at >= t.seen_at))
    union all
    select p.id, 'a great capture' from card_payments p
    where p.captured_cents > case when p.thread_id like 'ipi_%' then ${String(aloneCentsMax)}::bigint
        when p.mcc = '5542' or p.merchant_currency <> p.billing_currency then 1000000000
        else p.authorized_cents * (100 + ${String(percent)}::bigint) / 100 end
      and p.id not in (select payment_id from shown where kind in ('over_capture', 'late_capture'))`);
  return rows.map(({ id, what }) => `payment ${id}: ${what} without a case`);
}
