/** What a played journey reads of the service, and the moment that it needs. */
import { and, desc, eq, sql } from "drizzle-orm";
import type { Db, Executor } from "../client.ts";
import { deliveries, events, relayers } from "../schema/tables.ts";

/** The newest delivery to a partner of a kind of event about a user: its id, which is the `webhook-id`; null before there is one. */
export async function findDeliveryId(
  on: Executor,
  { userId, eventType, partnerId }: { userId: string; eventType: string; partnerId: string },
): Promise<string | null> {
  const [found] = await on
    .select({ id: deliveries.id })
    .from(events)
    .innerJoin(deliveries, and(eq(deliveries.eventId, events.id), eq(deliveries.partnerId, partnerId)))
    .where(and(eq(events.userId, userId), eq(events.eventType, eventType)))
    .orderBy(desc(events.createdAt), desc(events.sequence))
    .limit(1);
  return found?.id ?? null;
}

/** Runs `act` while the service cannot sign a chain transaction; it signs the waiting ones afterwards. */
export const holdRelayers = <T>(db: Db, act: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${relayers} in exclusive mode`);
    return act();
  });
