import { sql } from "drizzle-orm";
import type { Service } from "../support/service.ts";

/**
 * Payments of which a case was promised and none shows it, in words: a shortfall of what the issuer approved without us, and
 * captures beyond the policy.
 */
export async function findMissingCases({ runtime: { db, settings } }: Service): Promise<string[]> {
  const { percent, aloneCentsMax } = settings.rules.overCapture;
  const rows = await db.execute<{ id: string; what: string }>(sql`
    select s.payment_id as id, 'a shortfall of a stand-in' as what from card_stand_ins s
    where s.approved_cents > 0
      and exists (select from ledger_entries e where e.payment_id = s.payment_id and e.owed > 0 and e.created_at >= (
        select min(d.created_at) from card_decisions d
        where d.payment_id = s.payment_id and d.is_by_issuer and d.is_approved))
      and not exists (select from card_cases c where c.payment_id = s.payment_id and c.kind = 'stand_in_shortfall')
    union all
    select p.id, 'a great capture' from card_payments p
    where p.captured_cents > case when p.thread_id like 'ipi_%' then ${String(aloneCentsMax)}::bigint
        when p.mcc = '5542' or p.merchant_currency <> p.billing_currency then 1000000000
        else p.authorized_cents * (100 + ${String(percent)}::bigint) / 100 end
      and not exists (select from card_cases c where c.payment_id = p.id and c.kind in ('over_capture', 'late_capture'))`);
  return rows.map(({ id, what }) => `payment ${id}: ${what} without a case`);
}
