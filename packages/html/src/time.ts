/**
 * Instants on pages, in UTC.
 *
 * Every form is a `time` element with the whole instant in `datetime`, for programs, and in `title`, for people.
 */
import { formatRelative } from "@cardkeep/contract/core/durations";
import { type Html, markup } from "./markup.ts";

/** `2026-11-22 14:02:11`. */
const formatSecond = (at: Date): string => at.toISOString().slice(0, 19).replace("T", " ");

const render = (at: Date, text: string): Html =>
  markup`<time datetime="${at.toISOString()}" title="${formatSecond(at)} UTC">${text}</time>`;

/** An instant to the second, or a dash for none. */
export const renderTime = (at: Date | null): Html =>
  at === null ? markup`<span class="none">–</span>` : render(at, formatSecond(at));

/** The time of day of an instant, to the second, where the day is known. */
export const renderTimeOfDay = (at: Date): Html => render(at, formatSecond(at).slice(11));

/** An instant as seen from `now`, which must be of the same clock: `in 2 min`, `5 min ago`. A dash for none. */
export const renderRelativeTime = (at: Date | null, now: Date): Html =>
  at === null ? renderTime(at) : render(at, formatRelative(at, now));
