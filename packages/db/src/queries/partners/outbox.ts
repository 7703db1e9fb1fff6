/** The outbox: events, written in the commit of the change that they report. */
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { buildInsert } from "../../rows.ts";
import { events } from "../../schema/tables.ts";

/**
 * Condition: events of this user have receivers, which are live subscriptions, or a partner named at sign-up that has not
 * subscribed yet: its first subscription delivers earlier events too. A function of the migrations.
 */
export const hasReceivers = (userId: SQL): SQL => sql`has_receivers(${userId})`;

/**
 * Writes an event. True if the user has subscribers, or the partner of its sign-up may become one: it is pending, and the caller
 * wakes the workers after its commit.
 *
 * The function `hand_out` of the migrations answers that, and adds the message that the user chose to get about such an event.
 *
 * A subscription that begins beside this commit does not see the event, and the event not the subscription. So what such a
 * partner is promised stays pending until it was looked at once more.
 */
export async function insertEvent(tx: Tx, row: Omit<typeof events.$inferInsert, "isPending">): Promise<boolean> {
  const isPending = sql<boolean>`hand_out(${row.id}, ${row.userId}, ${row.eventType}, ${row.requestId}, ${sql.param(row.createdAt, events.createdAt)})`;
  const insert = buildInsert(events, { ...row, isPending });
  const [inserted] = await tx.execute<{ isPending: boolean }>(sql`${insert} returning is_pending as "isPending"`);
  return inserted?.isPending === true;
}

export type StoredEvent = typeof events.$inferSelect;

/** The newest event about a card's status; null once it is older than events are kept. */
export async function findStatusEvent(
  on: Executor,
  { userId, cardToken }: { userId: string; cardToken: string },
): Promise<StoredEvent | null> {
  const isOfCard = sql`${events.data} ->> 'cardToken' = ${cardToken}`;
  const [row] = await on
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), eq(events.eventType, "card.status.changed"), isOfCard))
    .orderBy(desc(events.createdAt), desc(events.sequence))
    .limit(1);
  return row ?? null;
}

/** The events of a user that one request published at one instant. */
export async function listEventsAt(
  on: Executor,
  { userId, requestId, at }: { userId: string; requestId: string; at: Date },
): Promise<StoredEvent[]> {
  return on
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), eq(events.requestId, requestId), eq(events.createdAt, at)))
    .orderBy(asc(events.sequence));
}
