/**
 * Days and months in a time zone, and when a month of statements closes.
 *
 * - month: `2026-11`. - day: `2026-11-30`. Both begin at midnight in the zone.
 */
import { dayMs, minuteMs } from "@cardkeep/contract/core/durations";
import { givenDay } from "@cardkeep/contract/core/instantOrDate";

/** What was recorded until then still counts in its month. */
const openAfterMs = 60 * minuteMs;

/** To build one takes a hundred times longer than to use it, and memory that the garbage collection does not count. */
const formatOfZone = new Map<string, Intl.DateTimeFormat>();

function getFormat(zone: string): Intl.DateTimeFormat {
  const known = formatOfZone.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  formatOfZone.set(zone, format);
  return format;
}

/** Minutes that a zone's clocks are ahead of UTC at an instant. */
function findOffsetMinutes(atMs: number, zone: string): number {
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(getFormat(zone).format(atMs)) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The first instant of a day; where clocks skip midnight, the first one behind. */
export function startOfDay(day: string, zone: string): Date {
  const wallMs = Date.parse(`${day}T00:00:00Z`);
  const guess = new Date(wallMs - findOffsetMinutes(wallMs, zone) * minuteMs);
  const start = new Date(wallMs - findOffsetMinutes(guess.getTime(), zone) * minuteMs);
  // West of UTC the second offset is of behind the gap: with it, the day would begin an hour early.
  return dayOf(start, zone) === day ? start : guess;
}

/** The day that an instant is in. */
export const dayOf = (at: Date, zone: string): string =>
  new Date(at.getTime() + findOffsetMinutes(at.getTime(), zone) * minuteMs).toISOString().slice(0, 10);

/** The month that an instant is in. */
export const monthOf = (at: Date, zone: string): string => dayOf(at, zone).slice(0, 7);

const isoDay = givenDay();

/** Whether a text is a day of the calendar that a database keeps. */
export const isDay = (text: string): boolean => isoDay.safeParse(text).success;

/** The day that comes `count` days after another one. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);

/** The last day that a database keeps. */
const lastDay = "9999-12-31";

/** The day after another one; the last day that a database keeps stays itself. */
export const nextDay = (day: string): string => (day === lastDay ? day : addDays(day, 1));

/** How many days another day is behind a day. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs);

/** The month after another one. */
export function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
}

export const startOfMonth = (month: string, zone: string): Date => startOfDay(`${month}-01`, zone);

/** From this instant on, the month's statement is made and stays. */
export const closeOfMonth = (month: string, zone: string): Date =>
  new Date(startOfMonth(nextMonth(month), zone).getTime() + openAfterMs);

/** When a record counts: at its own time, or when it was recorded if its month was closed by then. */
export const findStatedAt = (at: Date, recordedAt: Date, zone: string): Date =>
  recordedAt < closeOfMonth(monthOf(at, zone), zone) ? at : recordedAt;
