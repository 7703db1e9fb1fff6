/** Events that happened before their user's first subscription. */
import { sql } from "drizzle-orm";
import type { Tx } from "../client.ts";
import { lockFanOut } from "./deliveries.ts";

/**
 * Hands every past event of a user out to a subscription that was just made, oldest first; its sequence begins with them.
 *
 * Events that are still in the outbox follow by themselves. Answers whether the partner's endpoint has to be written to.
 */
export async function fanOutPastEvents(
  tx: Tx,
  { subscriptionId, now }: { subscriptionId: string; now: Date },
): Promise<boolean> {
  await lockFanOut(tx);
  const at = now.toISOString();
  const [row] = await tx.execute<{ has_endpoint: boolean }>(sql`
    with past as materialized (
      select s.id as subscription_id, s.partner_id, e.id as event_id, row_number() over (order by e.sequence) as sequence
      from subscriptions s join events e on e.user_id = s.user_id and not e.is_pending
      where s.id = ${subscriptionId}
    ), counted as (
      update subscriptions s set last_sequence = n.count from (
        select subscription_id, count(*) as count from past group by subscription_id) n
      where s.id = n.subscription_id
    ), receivers as (
      update partners p set last_position = p.last_position + n.count from (
        select partner_id, count(*) as count from past group by partner_id) n
      where p.id = n.partner_id returning p.id, p.last_position - n.count as before, p.webhook_url
    ), written as (
      insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts,
        schedule_from, next_attempt_at, created_at)
      select 'msg_' || replace(gen_random_uuid()::text, '-', ''), past.partner_id, subscription_id, event_id, sequence,
        receivers.before + sequence, case when receivers.webhook_url is null then 'KEPT' else 'PENDING' end, 0,
        0, ${at}::timestamptz, ${at}::timestamptz
      from past join receivers on receivers.id = past.partner_id
    )
    select coalesce(bool_or(webhook_url is not null), false) as has_endpoint from receivers`);
  return row?.has_endpoint ?? false;
}
