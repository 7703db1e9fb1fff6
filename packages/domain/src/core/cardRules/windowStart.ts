import { dayMs, hourMs, weekMs } from "@cardkeep/contract/core/durations";
import type { RuleWindow } from "@cardkeep/contract/cards/cardRules";

/** The first Monday of Unix time, 5 January 1970. */
const firstMondayMs = 4 * dayMs;

const floorTo = (ms: number, periodMs: number, originMs: number): number =>
  originMs + Math.floor((ms - originMs) / periodMs) * periodMs;

/**
 * The first millisecond of the window of UTC that holds an instant; `-Infinity` for `always`. Two instants are in one window
 * if they have the same start.
 *
 * @param ms milliseconds of Unix time
 */
export function windowStart(window: RuleWindow, ms: number): number {
  switch (window) {
    case "hour":
      return floorTo(ms, hourMs, 0);
    case "day":
      return floorTo(ms, dayMs, 0);
    case "week":
      return floorTo(ms, weekMs, firstMondayMs);
    case "month": {
      const at = new Date(ms);
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    }
    case "always":
      return -Infinity;
  }
}
