import type { MoneyPolicy } from "@cardkeep/domain/core/policy";
import { sql } from "drizzle-orm";
import type { RunningService } from "./service.ts";
import { type CardHolder, cent } from "./spending.ts";

export type DisputeRules = Pick<MoneyPolicy, "disputeCredit" | "disputeAdvanceCentsMax">;

/**
 * Cents that disputes return to the Safe of a card, by the issuer's records: what it paid for those that are won, and what the
 * operator advances, but never more than what a payment comes to. How much of the person's bound each dispute got depends on
 * their order, so an advance is as recorded, up to the disputed amount.
 */
export async function sumCredits(
  { runtime: { db } }: RunningService,
  { cardToken }: Pick<CardHolder, "cardToken">,
  { disputeCredit, disputeAdvanceCentsMax }: DisputeRules,
): Promise<bigint> {
  if (disputeCredit === "none") return 0n;
  const advance = String(disputeCredit === "provisional" ? disputeAdvanceCentsMax : 0n);
  const [row] = await db.execute<{ sum: string }>(sql`
    with transactions as (
      select id, -(data ->> 'amount')::bigint as amount, data ->> 'type' as type, coalesce(data ->> 'authorization', id) as thread
      from sandbox.issuer_objects where object = 'issuing.transaction' and data ->> 'card' = ${cardToken}),
    claimed as (
      select t.thread, sum(t.amount) + coalesce((
        select greatest(0, (o.data ->> 'amount')::bigint - sum(t.amount) filter (where t.type = 'capture'))
        from sandbox.issuer_objects o where o.id = t.thread and (o.data ->> 'approved')::boolean
          and o.data ->> 'status' = 'pending'), 0) as cents
      from transactions t group by t.thread),
    disputes as (
      select t.thread, d.data ->> 'status' as status, (d.data ->> 'amount')::bigint as amount,
        (select coalesce(sum((entry ->> 'amount')::bigint), 0) from jsonb_array_elements(d.data -> 'balance_transactions') entry) as paid,
        exists (select from jsonb_array_elements(d.data -> 'balance_transactions') entry where (entry ->> 'amount')::bigint < 0) as taken
      from sandbox.issuer_objects d join transactions t on t.id = d.data ->> 'transaction' where d.object = 'issuing.dispute')
    select coalesce(sum(greatest(0, least(c.cents,
      case when d.status = 'won' and d.paid > 0 then d.paid
        when d.status = 'submitted' or (d.status = 'won' and not d.taken) then least(d.amount, ${advance}::bigint, p.credit / ${String(cent)}::numeric) else 0 end))), 0) as sum
    from disputes d join claimed c on c.thread = d.thread left join card_payments p on p.thread_id = d.thread`);
  return BigInt(row?.sum ?? 0);
}

/** Cents that a Safe's person was advanced for disputes that the issuer has not paid for. */
export async function sumAdvances(
  { runtime: { db } }: RunningService,
  { safe }: Pick<CardHolder, "safe">,
): Promise<bigint> {
  const [row] = await db.execute<{ sum: string }>(sql`
    select coalesce(sum(greatest(0, p.credit / ${String(cent)}::numeric - d.reinstated_cents)), 0)::bigint as sum
    from card_disputes d join card_payments p on p.id = d.payment_id join safes s on s.user_id = d.user_id
    where s.address = ${safe}`);
  return BigInt(row?.sum ?? 0);
}
