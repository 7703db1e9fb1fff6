/** Events on their way to partners. */
import { and, asc, desc, eq, gt, gte, isNull, lt, lte, ne, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { hasActiveJob } from "../queue/inspect.ts";
import { deliveries, deliveryAttempts, events, subscriptions } from "../schema/tables.ts";

export type Delivery = typeof deliveries.$inferSelect;
export type DeliveryAttempt = typeof deliveryAttempts.$inferSelect;

const fanOutLock = sql`hashtextextended('cardkeep:webhooks:fan-out', 0)`;

/** Waits until nothing else hands events out, and keeps it so until the transaction ends. */
export async function lockFanOut(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${fanOutLock})`);
}

/**
 * Hands up to `limit` events of the outbox out to their users' subscriptions; answers the partners that were given any.
 *
 * One transaction at a time does so, so that a partner's feed grows in the order in which it can be read; null when
 * another one is at it.
 */
export async function fanOutEvents(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<{ count: number; partnerIds: string[] } | null> {
  const [lock] = await tx.execute<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${fanOutLock}) as taken`);
  if (lock?.taken !== true) return null;
  const at = now.toISOString();
  const [row] = await tx.execute<{ count: number; partner_ids: string[] | null }>(sql`
    with batch as materialized (
      select id, sequence, user_id from events where is_pending order by sequence limit ${limit}
    ), held as materialized (
      select s.id, s.partner_id, s.user_id, s.last_sequence from subscriptions s
      where s.user_id in (select user_id from batch) and s.ended_at is null order by s.id for update
    ), pairs as materialized (
      select h.id as subscription_id, h.partner_id, b.id as event_id,
        h.last_sequence + row_number() over (partition by h.id order by b.sequence) as sequence,
        row_number() over (partition by h.partner_id order by b.sequence, h.id) as ordinal
      from held h join batch b on b.user_id = h.user_id
    ), counted as (
      update subscriptions s set last_sequence = n.last from (
        select subscription_id, max(sequence) as last from pairs group by subscription_id) n
      where s.id = n.subscription_id
    ), receivers as (
      update partners p set last_position = p.last_position + n.count from (
        select partner_id, count(*) as count from pairs group by partner_id) n
      where p.id = n.partner_id returning p.id, p.last_position - n.count as before, p.webhook_url
    ), written as (
      insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts,
        schedule_from, next_attempt_at, created_at)
      select 'msg_' || replace(gen_random_uuid()::text, '-', ''), pairs.partner_id, subscription_id, event_id, sequence,
        receivers.before + ordinal, case when receivers.webhook_url is null then 'KEPT' else 'PENDING' end, 0,
        0, ${at}::timestamptz, ${at}::timestamptz
      from pairs join receivers on receivers.id = pairs.partner_id
    ), done as (
      update events e set is_pending = false where e.id = any(array(select id from batch))
    )
    select (select count(*)::int from batch) as count,
      (select array_agg(distinct id) from receivers where webhook_url is not null) as partner_ids`);
  return { count: row?.count ?? 0, partnerIds: row?.partner_ids ?? [] };
}

/** Partners to whose endpoints something is due while no job stands for it: the clock was moved, or a job lost. */
export async function listForgottenEndpoints(on: Executor, now: Date): Promise<string[]> {
  const at = now.toISOString();
  const rows = await on.execute<{ id: string }>(sql`
    select p.id from partners p
    where p.status = 'ACTIVE' and p.webhook_status = 'ACTIVE' and p.webhook_url is not null
      and (p.paused_until is null or p.paused_until <= ${at}::timestamptz)
      and exists (
        select from deliveries d join subscriptions s on s.id = d.subscription_id
        where d.partner_id = p.id and d.status = 'PENDING' and d.next_attempt_at <= ${at}::timestamptz and s.ended_at is null)
      and not ${hasActiveJob("webhook.deliver", sql`p.id`)}`);
  return rows.map(({ id }) => id);
}

/** What a delivery carries, and how often it was tried. */
export interface DueDelivery {
  id: string;
  sequence: bigint;
  attempts: number;
  /** Attempts before its schedule last began. */
  scheduleFrom: number;
  eventType: string;
  data: unknown;
  userId: string;
  /** Of the request that the event goes back to. */
  requestId: string;
}

const isDue = (partnerId: string) =>
  and(eq(deliveries.partnerId, partnerId), eq(deliveries.status, "PENDING"), isNull(subscriptions.endedAt));

/** Deliveries whose time has come, the longest waiting first, but for those in `except`. */
export async function listDueDeliveries(
  on: Executor,
  { partnerId, now, limit, except }: { partnerId: string; now: Date; limit: number; except: readonly string[] },
): Promise<DueDelivery[]> {
  return on
    .select({
      id: deliveries.id,
      sequence: deliveries.sequence,
      attempts: deliveries.attempts,
      scheduleFrom: deliveries.scheduleFrom,
      eventType: events.eventType,
      data: events.data,
      userId: events.userId,
      requestId: events.requestId,
    })
    .from(deliveries)
    .innerJoin(subscriptions, eq(subscriptions.id, deliveries.subscriptionId))
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(
      and(
        isDue(partnerId),
        lte(deliveries.nextAttemptAt, now),
        sql`${deliveries.id} not in (select json_array_elements_text(${JSON.stringify(except)}::json))`,
      ),
    )
    .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.position))
    .limit(limit);
}

/** When the next delivery to a partner is to be tried; null when none is open. */
export async function findNextAttempt(on: Executor, partnerId: string): Promise<Date | null> {
  const [row] = await on
    .select({ at: deliveries.nextAttemptAt })
    .from(deliveries)
    .innerJoin(subscriptions, eq(subscriptions.id, deliveries.subscriptionId))
    .where(isDue(partnerId))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(1);
  return row?.at ?? null;
}

/** How one attempt went, and what becomes of its delivery. */
export interface AttemptResult {
  id: string;
  attempt: number;
  at: Date;
  status: number | null;
  error: string | null;
  durationMs: number;
  becomes: "DELIVERED" | "FAILED" | "PENDING";
  nextAttemptAt: Date;
}

/** Writes how attempts went, all of them in two statements. */
export async function recordAttempts(tx: Tx, results: readonly AttemptResult[]): Promise<void> {
  const rows = JSON.stringify(results);
  await tx.execute(sql`
    with results as (
      select * from json_to_recordset(${rows}::json) as r(id text, attempt int, at timestamptz, status int, error text,
        "durationMs" int, becomes text, "nextAttemptAt" timestamptz)
    ), logged as (
      insert into delivery_attempts (delivery_id, attempt, at, status, error, duration_ms)
      select id, attempt, at, status, error, "durationMs" from results on conflict do nothing
    )
    update deliveries d set attempts = r.attempt, status = r.becomes, next_attempt_at = r."nextAttemptAt",
      ended_at = case when r.becomes = 'PENDING' then null else r.at end
    from results r where d.id = r.id and d.id = any(array(select id from results)) and d.ended_at is null`);
}

/** A delivery as a partner pulls it. */
export interface FeedRow {
  id: string;
  position: bigint;
  subscriptionId: string;
  sequence: bigint;
  eventType: string;
  data: unknown;
  createdAt: Date;
}

/** A partner's feed after a position, oldest first; what ended subscriptions were told is not in it any more. */
export async function listFeed(
  on: Executor,
  { partnerId, after, limit }: { partnerId: string; after: bigint; limit: number },
): Promise<FeedRow[]> {
  return on
    .select({
      id: deliveries.id,
      position: deliveries.position,
      subscriptionId: deliveries.subscriptionId,
      sequence: deliveries.sequence,
      eventType: events.eventType,
      data: events.data,
      createdAt: events.createdAt,
    })
    .from(deliveries)
    .innerJoin(subscriptions, eq(subscriptions.id, deliveries.subscriptionId))
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(and(eq(deliveries.partnerId, partnerId), gt(deliveries.position, after), isNull(subscriptions.endedAt)))
    .orderBy(asc(deliveries.position))
    .limit(limit);
}

export type DeliveryRow = Delivery & { eventType: string; userId: string };

const selectDeliveries = (on: Executor) =>
  on
    .select({ delivery: deliveries, eventType: events.eventType, userId: events.userId })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId));

/** The log of deliveries, newest first; `after` names the last one that is known already. */
export async function listDeliveries(
  on: Executor,
  input: { partnerId: string | null; status: Delivery["status"] | null; after: string | null; limit: number },
): Promise<DeliveryRow[]> {
  const rows = await selectDeliveries(on)
    .where(
      and(
        input.partnerId === null ? undefined : eq(deliveries.partnerId, input.partnerId),
        input.status === null ? undefined : eq(deliveries.status, input.status),
        input.after === null
          ? undefined
          : sql`(${deliveries.createdAt}, ${deliveries.position}, ${deliveries.id}) <
              (select created_at, position, id from deliveries known where id = ${input.after})`,
      ),
    )
    .orderBy(desc(deliveries.createdAt), desc(deliveries.position), desc(deliveries.id))
    .limit(input.limit);
  return rows.map(({ delivery, ...event }) => ({ ...delivery, ...event }));
}

export async function findDelivery(on: Executor, id: string): Promise<DeliveryRow | null> {
  const [row] = await selectDeliveries(on).where(eq(deliveries.id, id)).limit(1);
  return row ? { ...row.delivery, eventType: row.eventType, userId: row.userId } : null;
}

export async function listAttempts(on: Executor, deliveryId: string): Promise<DeliveryAttempt[]> {
  return on
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.deliveryId, deliveryId))
    .orderBy(asc(deliveryAttempts.attempt));
}

/** What is to be sent again: one delivery, or those of a partner's of a span of time that never arrived, or all of them. */
export type Replay = { id: string } | { partnerId: string; from: Date; until: Date; isAll: boolean };

/** Opens deliveries of living subscriptions again, with the same ids; answers which and whose. */
export async function reopenDeliveries(
  tx: Tx,
  replay: Replay,
  now: Date,
): Promise<{ id: string; partnerId: string }[]> {
  const which =
    "id" in replay
      ? eq(deliveries.id, replay.id)
      : and(
          eq(deliveries.partnerId, replay.partnerId),
          gte(deliveries.createdAt, replay.from),
          lt(deliveries.createdAt, replay.until),
          replay.isAll ? undefined : ne(deliveries.status, "DELIVERED"),
        );
  return tx
    .update(deliveries)
    .set({ status: "PENDING", nextAttemptAt: now, endedAt: null, scheduleFrom: sql`${deliveries.attempts}` })
    .where(
      and(
        which,
        ne(deliveries.status, "CANCELLED"),
        sql`${deliveries.subscriptionId} in (select id from ${subscriptions} where ${subscriptions.endedAt} is null)`,
      ),
    )
    .returning({ id: deliveries.id, partnerId: deliveries.partnerId });
}
