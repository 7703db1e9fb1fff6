/** When a bank transfer arrives: banks settle euro payments on business days of TARGET. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { findBusinessDay, startOfUtcDay } from "../../core/businessDays.ts";

/** Orders after this hour of UTC leave the bank on its next day. */
const cutOffHour = 15;
/** Money is booked by this hour of the day on which it arrives. */
const bookedHour = 12;

/** When a bank transfer that is ordered now is booked at its receiver: a bank day after the bank sends it. */
export function findArrival(now: Date): Date {
  const today = startOfUtcDay(now);
  const isLate = now.getTime() - today >= cutOffHour * hourMs;
  const sent = findBusinessDay(isLate ? today + dayMs : today);
  return new Date(findBusinessDay(sent + dayMs) + bookedHour * hourMs);
}

/** Hours that a bank transfer takes that is ordered now, rounded up. */
export const countTransferHours = (now: Date): number =>
  Math.ceil((findArrival(now).getTime() - now.getTime()) / hourMs);

/** Whether money that was sent then should be there since a bank day: it may never come, or less of it. */
export const isOverdue = (sentAt: Date, now: Date): boolean => findArrival(findArrival(sentAt)) <= now;
