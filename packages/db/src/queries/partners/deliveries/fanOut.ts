/** Fan-out: events of the outbox become deliveries to subscribed partners. */
import { askedEvents } from "@cardkeep/contract/partners/events";
import { type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { spell } from "../../../schema/columns.ts";
import { countSequence, leaveGaps } from "./restoredFeed.ts";

const fanOutLock = sql`hashtextextended('cardkeep:webhooks:fan-out', 0)`;

/** A delivery's id is a UUID of version 7 without hyphens: it leads to the delivery's partition. */
const deliveryId =
  sql.raw(`'msg_' || lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
        || substr(replace(gen_random_uuid()::text, '-', ''), 14)`);

/** Condition: a partner of a subscription receives events of a kind. */
const isReceived = (subscription: SQL, event: SQL): SQL =>
  sql`(${event}.event_type not in (${sql.raw(spell(askedEvents))})
    or exists (select from partners a where a.id = ${subscription}.partner_id and a.has_all_events))`;

/** Waits until nothing else hands events out, and keeps it so until the transaction ends. */
async function lockFanOut(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${fanOutLock})`);
}

/** Whether the outbox holds events. */
export async function hasPendingEvents(on: Executor): Promise<boolean> {
  const [row] = await on.execute<{ exists: boolean }>(sql`select exists (select from events where is_pending)`);
  return row?.exists ?? false;
}

/**
 * Hands up to `limit` events of the outbox out to their users' subscriptions; answers the partners that were given any, and
 * whether more may wait.
 *
 * One transaction at a time does so, so that a partner's feed grows in the order in which it can be read; null when
 * another one is at it. The events of a person with a locked subscription stay for a later batch, and hold up no other person's.
 */
export async function fanOutEvents(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<{ isFull: boolean; partnerIds: string[] } | null> {
  const [lock] = await tx.execute<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${fanOutLock}) as taken`);
  if (lock?.taken !== true) return null;
  await leaveGaps(tx, now);
  const { found, hasBatch, partnerIds } = await handOut(tx, { now, of: sql`true`, limit, atLock: sql`skip locked` });
  return { isFull: found === limit && hasBatch, partnerIds };
}

/**
 * Hands the events of one user that wait in the outbox out to the subscriptions of now, and waits for locked ones; answers the
 * partners that have to be written to. What the user subscribes next in this transaction gets none of them.
 */
export async function fanOutEventsOf(tx: Tx, { userId, now }: { userId: string; now: Date }): Promise<string[]> {
  await lockFanOut(tx);
  await leaveGaps(tx, now);
  const { partnerIds } = await handOut(tx, { now, of: sql`user_id = ${userId}`, limit: null, atLock: sql`` });
  return partnerIds;
}

/** Hands events of the outbox out, behind the lock of the fan-out; `limit` null for all. */
async function handOut(
  tx: Tx,
  { now, of, limit, atLock }: { now: Date; of: SQL; limit: number | null; atLock: SQL },
): Promise<{ found: number; hasBatch: boolean; partnerIds: string[] }> {
  const at = now.toISOString();
  const [row] = await tx.execute<{ found: number; has_batch: boolean; partner_ids: string[] | null }>(sql`
    with oldest as materialized (
      select id, sequence, user_id, event_type from events where is_pending and ${of} order by sequence limit ${limit}
    ), held as materialized (
      select s.id, s.partner_id, s.user_id, ${countSequence(sql`s`, sql`p`)} as last_sequence, p.sequence_gaps
      from subscriptions s join partners p on p.id = s.partner_id
      where s.user_id in (select user_id from oldest) and s.ended_at is null order by s.id for update of s ${atLock}
    ), batch as materialized (
      select * from oldest where not exists (select from subscriptions s
        where s.user_id = oldest.user_id and s.ended_at is null and s.id not in (select id from held))
    ), pairs as materialized (
      select h.id as subscription_id, h.partner_id, h.sequence_gaps, b.id as event_id,
        h.last_sequence + row_number() over (partition by h.id order by b.sequence) as sequence,
        row_number() over (partition by h.partner_id order by b.sequence, h.id) as ordinal
      from held h join batch b on b.user_id = h.user_id and ${isReceived(sql`h`, sql`b`)}
    ), counted as (
      update subscriptions s set last_sequence = n.last, sequence_gaps = n.gaps from (
        select subscription_id, max(sequence) as last, max(sequence_gaps) as gaps from pairs group by subscription_id) n
      where s.id = n.subscription_id
    ), receivers as (
      update partners p set last_position = p.last_position + n.count from (
        select partner_id, count(*) as count from pairs group by partner_id) n
      where p.id = n.partner_id returning p.id, p.last_position - n.count as before, p.webhook_url
    ), written as (
      insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts,
        schedule_from, next_attempt_at, created_at)
      select ${deliveryId}, pairs.partner_id, subscription_id, event_id, sequence,
        receivers.before + ordinal, case when receivers.webhook_url is null then 'KEPT' else 'PENDING' end, 0,
        0, ${at}::timestamptz, ${at}::timestamptz
      from pairs join receivers on receivers.id = pairs.partner_id
    ), done as (
      update events e set is_pending = false where e.id = any(array(select id from batch))
    )
    select (select count(*)::int from oldest) as found, exists (select from batch) as has_batch,
      (select array_agg(distinct id) from receivers where webhook_url is not null) as partner_ids`);
  return { found: row?.found ?? 0, hasBatch: row?.has_batch ?? false, partnerIds: row?.partner_ids ?? [] };
}

/** Of more, which take a person who makes them on purpose, the newest are handed out: all others wait for the end of the statement. */
const pastMax = 5_000;

/**
 * Hands the past events of a user out to a subscription that was just made, oldest first; its sequence begins with them.
 *
 * Events whose commits end later follow by themselves. Answers whether the partner's endpoint has to be written to.
 */
export async function fanOutPastEvents(
  tx: Tx,
  { subscriptionId, now }: { subscriptionId: string; now: Date },
): Promise<boolean> {
  await lockFanOut(tx);
  await leaveGaps(tx, now);
  const at = now.toISOString();
  const [row] = await tx.execute<{ has_endpoint: boolean }>(sql`
    with past as materialized (
      select *, row_number() over (order by sequence) as ordinal from (
        select s.id as subscription_id, s.partner_id, e.id as event_id, e.sequence, s.last_sequence as before
        from subscriptions s join events e on e.user_id = s.user_id and not e.is_pending
        where s.id = ${subscriptionId} and ${isReceived(sql`s`, sql`e`)}
        order by e.sequence desc limit ${pastMax}) newest
    ), counted as (
      update subscriptions s set last_sequence = s.last_sequence + n.count from (
        select subscription_id, count(*) as count from past group by subscription_id) n
      where s.id = n.subscription_id
    ), receivers as (
      update partners p set last_position = p.last_position + n.count from (
        select partner_id, count(*) as count from past group by partner_id) n
      where p.id = n.partner_id returning p.id, p.last_position - n.count as before, p.webhook_url
    ), written as (
      insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts,
        schedule_from, next_attempt_at, created_at)
      select ${deliveryId}, past.partner_id, subscription_id, event_id, past.before + ordinal,
        receivers.before + ordinal, case when receivers.webhook_url is null then 'KEPT' else 'PENDING' end, 0,
        0, ${at}::timestamptz, ${at}::timestamptz
      from past join receivers on receivers.id = past.partner_id
    )
    select coalesce(bool_or(webhook_url is not null), false) as has_endpoint from receivers`);
  return row?.has_endpoint ?? false;
}
