/**
 * Business days of TARGET, by which the EEA's banks count.
 *
 * Source: the ECB's calendar of closing days. TARGET is closed on Saturdays, Sundays, 1 January, Good Friday, Easter Monday,
 * 1 May, 25 and 26 December.
 */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";

/** TARGET closes at 18:00 of central European time: 16:00 UTC in summer, an hour later in winter. */
const closesMs = 16 * hourMs;
const fixed: readonly string[] = ["01-01", "05-01", "12-25", "12-26"];

/** Easter Sunday of a year, at the start of its day in UTC. Source: the Gregorian computus of Meeus, Jones and Butcher. */
export function findEaster(year: number): Date {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return new Date(Date.UTC(year, Math.floor(sum / 31) - 1, (sum % 31) + 1));
}

/** Whether a day, by its instant in UTC, is a business day. */
export function isBusinessDay(day: Date): boolean {
  const fromEaster = (startOfUtcDay(day) - findEaster(day.getUTCFullYear()).getTime()) / dayMs;
  const isWeekend = day.getUTCDay() % 6 === 0;
  return !isWeekend && fromEaster !== -2 && fromEaster !== 1 && !fixed.includes(day.toISOString().slice(5, 10));
}

/** The start of an instant's day, in milliseconds of UTC. */
export const startOfUtcDay = (at: Date): number => Math.floor(at.getTime() / dayMs) * dayMs;

/** The start of the first business day from a day on, in milliseconds of UTC. */
export function findBusinessDay(fromMs: number): number {
  for (let day = fromMs; ; day += dayMs) if (isBusinessDay(new Date(day))) return day;
}

/** The end of the first business day after the day of an instant. */
export const findNextBusinessDayEnd = (at: Date): Date =>
  new Date(findBusinessDay(startOfUtcDay(at) + dayMs) + closesMs);
