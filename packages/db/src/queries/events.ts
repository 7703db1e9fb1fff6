/** The outbox. */
import { and, asc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { events } from "../schema/tables.ts";

export async function insertEvent(tx: Tx, row: typeof events.$inferInsert): Promise<void> {
  await tx.insert(events).values(row);
}

export type StoredEvent = typeof events.$inferSelect;

/** What a user was told of one request at one instant. */
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
