/** Kinds of events on a command line. */
import { type EventType, events } from "@cardkeep/contract/events";
import { closest, distance } from "fastest-levenshtein";
import { UsageError } from "./errors.ts";

// The catalogue's keys are its event types.
export const eventTypes = Object.keys(events) as EventType[];

/** Letters that a name may differ by to be suggested. */
const lettersMax = 5;

/** Reads a kind of event. @throws UsageError that suggests the similar one, or lists all */
export function parseEventType(text: string): EventType {
  const found = eventTypes.find((type) => type === text);
  if (found !== undefined) return found;
  const similar = closest(text, eventTypes);
  throw new UsageError(
    distance(text, similar) <= lettersMax
      ? `there is no such event. Did you mean ${similar}?`
      : `there is no such event. Choose one of ${eventTypes.join(", ")}.`,
  );
}

/** Reads kinds of events that commas separate. @throws UsageError */
export const parseEventTypes = (text: string): EventType[] =>
  text.split(",").map((word) => parseEventType(word.trim()));
