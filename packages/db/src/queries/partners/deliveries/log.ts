/** The operator's log of deliveries, and resending from it. */
import { and, asc, desc, eq, gt, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../../../client.ts";
import { isAmong } from "../../../many.ts";
import { isOneOf } from "../../../schema/columns.ts";
import { deliveries, deliveryAttempts, events, partners, subscriptions } from "../../../schema/tables.ts";

export type Delivery = typeof deliveries.$inferSelect;
export type DeliveryAttempt = typeof deliveryAttempts.$inferSelect;
export type DeliveryRow = Delivery & { eventType: string; userId: string };

const selectDeliveries = (on: Executor) =>
  on
    .select({ delivery: deliveries, eventType: events.eventType, userId: events.userId })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId));

/** A partner's deliveries are in the order of its feed: an index leads to them, and not to those of others. */
const isInFeed = ({ partnerId, status }: { partnerId: string | null; status: Delivery["status"] | null }): boolean =>
  partnerId !== null && (status === null || status === "DELIVERED");

/** Condition: a delivery is earlier in its partner's feed than another one. */
const isBeforeInFeed = (id: string): SQL =>
  sql`${deliveries.position} < (select position from deliveries known where id = ${id})`;

/** Condition: a delivery is older than another one. The first part is for the indexes. */
const isBefore = (id: string): SQL => sql`
  ${deliveries.createdAt} <= (select created_at from deliveries known where id = ${id})
  and (${deliveries.createdAt}, ${deliveries.position}, ${deliveries.id}) <
    (select created_at, position, id from deliveries known where id = ${id})`;

/** The log of deliveries, newest first; `after` names the last row of the page before. */
export async function listDeliveries(
  on: Executor,
  input: { partnerId: string | null; status: Delivery["status"] | null; after: string | null; limit: number },
): Promise<DeliveryRow[]> {
  const rows = await selectDeliveries(on)
    .where(
      and(
        input.partnerId === null ? undefined : eq(deliveries.partnerId, input.partnerId),
        // Spelled, so that a plan for every parameter uses the partial indexes.
        input.status === null ? undefined : isOneOf(deliveries.status, [input.status]),
        input.after === null ? undefined : isInFeed(input) ? isBeforeInFeed(input.after) : isBefore(input.after),
      ),
    )
    .orderBy(
      ...(isInFeed(input) ? [] : [desc(deliveries.createdAt)]),
      desc(deliveries.position),
      ...(isInFeed(input) ? [] : [desc(deliveries.id)]),
    )
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

/** Spelled as two conditions: each has an index of its own, and those of the delivered ones are not read. */
const isUndelivered = sql`(${isOneOf(deliveries.status, ["PENDING"])} or ${isOneOf(deliveries.status, ["FAILED", "KEPT"])})`;

// One by one: joined, all subscriptions would be read for a few deliveries.
const isSubscribed = sql`(select ${subscriptions.endedAt} is null from ${subscriptions} where ${subscriptions.id} = ${deliveries.subscriptionId})`;

/** Condition: a resending would open the delivery again. */
const isReplayed = (replay: Replay): SQL | undefined =>
  and(
    "id" in replay
      ? eq(deliveries.id, replay.id)
      : and(
          eq(deliveries.partnerId, replay.partnerId),
          gte(deliveries.createdAt, replay.from),
          lt(deliveries.createdAt, replay.until),
          replay.isAll ? undefined : isUndelivered,
        ),
    ne(deliveries.status, "CANCELLED"),
    isSubscribed,
  );

/** More deliveries than these are not counted. */
export const replayCountedMax = 5_000;

/** Deliveries that a resending would open again, by status; `replayCountedMax` in all at most. */
export async function countReplay(
  on: Executor,
  replay: Replay,
): Promise<{ status: Delivery["status"]; count: number }[]> {
  const found = on
    .select({ status: deliveries.status })
    .from(deliveries)
    .where(isReplayed(replay))
    .limit(replayCountedMax)
    .as("found");
  return on
    .select({ status: found.status, count: sql<number>`count(*)::int` })
    .from(found)
    .groupBy(found.status)
    .orderBy(asc(found.status));
}

/** What a delivery carries to its partner. */
export interface DeliveryContent {
  data: unknown;
  requestId: string;
  payload: "full" | "thin";
  webhookUrl: string | null;
}

/** What a delivery carries: its event's data, and how its partner wants it. */
export async function findDeliveryContent(on: Executor, id: string): Promise<DeliveryContent | null> {
  const [row] = await on
    .select({
      data: events.data,
      requestId: events.requestId,
      payload: partners.payload,
      webhookUrl: partners.webhookUrl,
    })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(partners, eq(partners.id, deliveries.partnerId))
    .where(eq(deliveries.id, id))
    .limit(1);
  return row ?? null;
}

/** Opens deliveries of living subscriptions again, with the same ids; answers which and whose. */
export async function reopenDeliveries(
  tx: Tx,
  replay: Replay,
  now: Date,
): Promise<{ id: string; partnerId: string }[]> {
  return tx
    .update(deliveries)
    .set(openedAt(now))
    .where(isReplayed(replay))
    .returning({ id: deliveries.id, partnerId: deliveries.partnerId });
}

const openedAt = (now: Date) =>
  ({ status: "PENDING", nextAttemptAt: now, endedAt: null, scheduleFrom: sql`${deliveries.attempts}` }) as const;

/** Begins the schedules of a partner's deliveries anew that wait for another attempt. */
export async function restartRetries(tx: Tx, partnerId: string, now: Date): Promise<void> {
  const isOne = and(eq(deliveries.partnerId, partnerId), isOneOf(deliveries.status, ["PENDING"]));
  const { attempts, scheduleFrom, nextAttemptAt, position } = deliveries;
  const isToOpen = and(isOne, gt(attempts, scheduleFrom), isSubscribed);
  await openInParts(tx, { isToOpen, order: [nextAttemptAt, position], now });
}

/** Opens a partner's deliveries of living subscriptions again whose last attempt failed since an instant. */
export async function reopenFailedDeliveries(
  tx: Tx,
  { partnerId, since }: { partnerId: string; since: Date },
  now: Date,
): Promise<void> {
  const isOne = and(eq(deliveries.partnerId, partnerId), isOneOf(deliveries.status, ["FAILED"]));
  const isToOpen = and(isOne, gte(deliveries.endedAt, since), isSubscribed);
  await openInParts(tx, { isToOpen, order: [deliveries.createdAt], now });
}

/** Of an endpoint that failed for days there may be more than one statement can change in its time. */
const partMax = 5_000;

/** Opens deliveries again in parts, in an order that an index has. None fulfils the condition once it is open. */
async function openInParts(
  tx: Tx,
  { isToOpen, order, now }: { isToOpen: SQL | undefined; order: PgColumn[]; now: Date },
): Promise<void> {
  for (let opened = partMax; opened === partMax;) {
    const part = await tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(isToOpen)
      .orderBy(...order)
      .limit(partMax);
    opened = part.length;
    const isOfPart = isAmong(
      deliveries.id,
      part.map(({ id }) => id),
    );
    if (opened > 0) await tx.update(deliveries).set(openedAt(now)).where(and(isToOpen, isOfPart));
  }
}
