/** Spans of time as people write them. */
import ms from "ms";

/** Seconds, or a text such as `90 s`, `3 min`, `2 hours` or `1 day`. */
export type Duration = number | string;

/** Whole seconds of a span of time, rounded up. @throws TypeError for a text without a meaning, or a span below one second */
export function toSeconds(duration: Duration): number {
  const millis = typeof duration === "number" ? duration * 1000 : ms(duration as ms.StringValue);
  const seconds = Math.ceil((millis ?? Number.NaN) / 1000);
  if (!(seconds >= 1)) throw new TypeError(`"${duration}" is not a duration; write 90, "90 s", "3 min" or "2 hours"`);
  return seconds;
}
