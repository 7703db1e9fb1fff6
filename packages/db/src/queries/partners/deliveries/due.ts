/** Deliveries whose next attempt is due, and the results of attempts. */
import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { hasActiveJob } from "../../../queue/inspect.ts";
import { isStoppedIn } from "../../operators/stops.ts";
import { isOneOf } from "../../../schema/columns.ts";
import { deliveries, events, subscriptions } from "../../../schema/tables.ts";

/** Partners to whose endpoints something is due without a job: the clock was moved, or a job lost. */
export async function listForgottenEndpoints(on: Executor, now: Date): Promise<string[]> {
  const at = now.toISOString();
  const rows = await on.execute<{ id: string }>(sql`
    select p.id from partners p
    where p.status = 'ACTIVE' and p.webhook_status = 'ACTIVE' and p.webhook_url is not null
      and (p.paused_until is null or p.paused_until <= ${at}::timestamptz)
      and exists (
        select from deliveries d join subscriptions s on s.id = d.subscription_id
        where d.partner_id = p.id and d.status = 'PENDING' and d.next_attempt_at <= ${at}::timestamptz and s.ended_at is null)
      and not ${isStoppedIn("deliveries")} and not ${hasActiveJob("webhook.deliver", sql`p.id`)}`);
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
  /** Of the request that caused the event. */
  requestId: string;
}

const isDue = (partnerId: string) =>
  and(eq(deliveries.partnerId, partnerId), isOneOf(deliveries.status, ["PENDING"]), isNull(subscriptions.endedAt));

/** Deliveries whose time has come, the longest waiting first, but for those in `except`; none while deliveries are stopped. */
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
        sql`not ${isStoppedIn("deliveries")}`,
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
  /** Of the delivery as the attempt began. */
  scheduleFrom: number;
  at: Date;
  status: number | null;
  error: string | null;
  durationMs: number;
  becomes: "DELIVERED" | "FAILED" | "PENDING";
  nextAttemptAt: Date;
}

const isAnew = sql`(r.becomes <> 'DELIVERED' and d.schedule_from <> r."scheduleFrom")`;

/**
 * Writes how attempts at a partner's endpoint went, all of them in one statement, and counts them by hour. A delivery whose schedule
 * began anew meanwhile keeps the time of the new one, unless it arrived.
 */
export async function recordAttempts(tx: Tx, partnerId: string, results: readonly AttemptResult[]): Promise<void> {
  const rows = JSON.stringify(results);
  await tx.execute(sql`
    with results as (
      select * from json_to_recordset(${rows}::json) as r(id text, attempt int, "scheduleFrom" int, at timestamptz,
        status int, error text, "durationMs" int, becomes text, "nextAttemptAt" timestamptz)
    ), logged as (
      insert into delivery_attempts (delivery_id, attempt, at, status, error, duration_ms)
      select id, attempt, at, status, error, "durationMs" from results on conflict do nothing
      returning delivery_id, attempt
    ), counted as (
      insert into delivery_hours as h (partner_id, hour, succeeded, failed)
      select ${partnerId}, date_trunc('hour', r.at, 'UTC'), count(*) filter (where r.becomes = 'DELIVERED'),
        count(*) filter (where r.becomes <> 'DELIVERED')
      from logged join results r on r.id = logged.delivery_id and r.attempt = logged.attempt group by 2
      on conflict (partner_id, hour) do update set succeeded = h.succeeded + excluded.succeeded,
        failed = h.failed + excluded.failed
    )
    update deliveries d set attempts = r.attempt,
      status = case when ${isAnew} then 'PENDING' else r.becomes end,
      next_attempt_at = case when ${isAnew} then d.next_attempt_at else r."nextAttemptAt" end,
      ended_at = case when ${isAnew} or r.becomes = 'PENDING' then null else r.at end
    from results r where d.id = r.id and d.id = any(array(select id from results)) and d.ended_at is null`);
}
