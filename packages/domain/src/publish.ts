/** The outbox: an event is published in the transaction of what it reports. */
import { type EventData, type EventType, events } from "@cardkeep/contract/events";
import { insertEvent } from "@cardkeep/db/queries/outbox";
import { z } from "zod";
import type { Work } from "./context.ts";
import { generateId } from "./generateId.ts";

/** Writes an event beside the rows it reports; it exists if and only if they do. */
export async function publish<E extends EventType>(
  { tx, now, requestId, wake }: Work,
  eventType: E,
  userId: string,
  data: EventData<E>,
): Promise<void> {
  const schema: z.ZodType = events[eventType];
  const encoded = z.encode(schema, data);
  const row = { id: generateId(), eventType, userId, requestId, data: encoded, createdAt: now };
  if (await insertEvent(tx, row)) wake("events");
}
