/** Kinds of events on a command line. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type EventType, events } from "@cardkeep/contract/partners/events";
import { suggest } from "@cardkeep/terminal/suggestion";
import { UsageError } from "./errors.ts";

// The catalogue's keys are its event types.
export const eventTypes = keysOf(events);

/** Reads a kind of event. @throws UsageError that suggests the similar one, or lists all */
export function parseEventType(text: string): EventType {
  const found = eventTypes.find((type) => type === text);
  if (found !== undefined) return found;
  throw new UsageError(
    `there is no such event.${suggest(text, eventTypes) || ` Choose one of ${eventTypes.join(", ")}.`}`,
  );
}

/** Reads kinds of events that commas separate. @throws UsageError */
export const parseEventTypes = (text: string): EventType[] =>
  text.split(",").map((word) => parseEventType(word.trim()));
