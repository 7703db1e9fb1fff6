import { and, asc, eq, gt, isNull } from "drizzle-orm";
import type { Executor } from "../../../client.ts";
import { isNoneOf } from "../../../schema/columns.ts";
import { deliveries, events, subscriptions } from "../../../schema/tables.ts";

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

/** A partner's feed after a position, oldest first, without the deliveries of ended subscriptions, and of ones that went on later. */
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
    .where(
      and(
        eq(deliveries.partnerId, partnerId),
        gt(deliveries.position, after),
        isNull(subscriptions.endedAt),
        isNoneOf(deliveries.status, ["CANCELLED"]),
      ),
    )
    .orderBy(asc(deliveries.position))
    .limit(limit);
}
