/** The outbox: events, written in the commit of the change that they report. */
import { and, asc, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { buildInsert } from "../rows.ts";
import { events, subscriptions } from "../schema/tables.ts";

/** Channel of the notification that each pending event sends with its commit. */
export const outboxChannel = "cardkeep:outbox";

/** Writes an event. If the user has subscribers, the event is pending and the commit wakes the workers that fan out. */
export async function insertEvent(tx: Tx, row: Omit<typeof events.$inferInsert, "isPending">): Promise<void> {
  const isPending = sql<boolean>`exists (select from ${subscriptions} where ${subscriptions.userId} = ${row.userId}
    and ${subscriptions.endedAt} is null)`;
  await tx.execute(sql`
    with inserted as (${buildInsert(events, { ...row, isPending })} returning is_pending)
    select pg_notify(${outboxChannel}, '') from inserted where is_pending`);
}

export type StoredEvent = typeof events.$inferSelect;

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
