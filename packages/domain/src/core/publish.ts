/** The outbox: an event is published in the transaction of what it reports. */
import { type EventData, type EventType, events } from "@cardkeep/contract/partners/events";
import { insertEvent } from "@cardkeep/db/queries/partners/outbox";
import { z } from "zod";
import type { Work } from "./context.ts";
import { generateId } from "./generateId.ts";

/** Writes an event beside the rows it reports; it exists if and only if they do. */
export async function publish<E extends EventType>(
  work: Work,
  eventType: E,
  userId: string,
  data: EventData<E>,
): Promise<void> {
  if (await insertEvent(work.tx, buildEvent(work, eventType, userId, data))) work.wake("events");
}

/** The row of an event. Who inserts it wakes the workers for a pending one. */
export function buildEvent<E extends EventType>(
  { now, requestId }: Pick<Work, "now" | "requestId">,
  eventType: E,
  userId: string,
  data: EventData<E>,
): Parameters<typeof insertEvent>[1] {
  const schema: z.ZodType = events[eventType];
  return { id: generateId(), eventType, userId, requestId, data: z.encode(schema, data), createdAt: now };
}
