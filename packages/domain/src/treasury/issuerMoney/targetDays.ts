/**
 * Days on which banks settle euro payments: TARGET days. Source: ecb.europa.eu, TARGET closing days: Saturdays, Sundays, New
 * Year's Day, Good Friday, Easter Monday, 1 May, 25 and 26 December.
 */
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Orders after this hour of UTC leave the bank on its next day. */
const cutOffHour = 15;
/** Money is booked by this hour of the day on which it arrives. */
const bookedHour = 12;

const closedDays: readonly string[] = ["01-01", "05-01", "12-25", "12-26"];

/** Easter Sunday of a year, by the anonymous Gregorian algorithm (Meeus, Jones, Butcher). */
function findEaster(year: number): Date {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return new Date(Date.UTC(year, month - 1, ((h + l - 7 * m + 114) % 31) + 1));
}

const startOf = (at: Date): number => Math.floor(at.getTime() / dayMs) * dayMs;

/** Whether banks settle euro payments on the day of UTC that an instant is in. */
export function isTargetDay(at: Date): boolean {
  const day = new Date(startOf(at));
  if ([0, 6].includes(day.getUTCDay()) || closedDays.includes(day.toISOString().slice(5, 10))) return false;
  const fromEaster = (day.getTime() - findEaster(day.getUTCFullYear()).getTime()) / dayMs;
  return fromEaster !== -2 && fromEaster !== 1;
}

/** The first bank day from an instant's day on. */
function findTargetDay(from: number): number {
  for (let day = from; ; day += dayMs) if (isTargetDay(new Date(day))) return day;
}

/** When a bank transfer that is ordered now is booked at its receiver: a bank day after the bank sends it. */
export function findArrival(now: Date): Date {
  const today = startOf(now);
  const isLate = now.getTime() - today >= cutOffHour * hourMs;
  const sent = findTargetDay(isLate ? today + dayMs : today);
  return new Date(findTargetDay(sent + dayMs) + bookedHour * hourMs);
}

/** Hours that a bank transfer takes that is ordered now, rounded up. */
export const countTransferHours = (now: Date): number =>
  Math.ceil((findArrival(now).getTime() - now.getTime()) / hourMs);
