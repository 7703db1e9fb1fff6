/** How long the operator's balance at the issuer lasts, by the spending of the past weeks. */
import { hourMs } from "@cardkeep/contract/core/durations";

const dayHours = 24;
const weekHours = 168;
/** Further than two weeks the forecast does not look. */
export const coverHoursMax = 2 * weekHours;

/** The hour of the week, from Monday 0:00 UTC on. */
const slotOf = (at: Date): number => ((at.getUTCDay() + 6) % 7) * dayHours + at.getUTCHours();

export interface CoverInput {
  balanceCents: bigint;
  /** Sent to the issuer, with the instant at which it is there. */
  arrivals: readonly { at: Date; cents: bigint }[];
  /** Cents of each hour of the week; empty for a currency without spending. */
  week: readonly bigint[];
  now: Date;
}

/**
 * Whole hours until the balance is used up; null where it lasts for more than two weeks. The balance is what the issuer has
 * left beside its holds, so approved payments are taken off already.
 */
export function forecastCover({ balanceCents, arrivals, week, now }: CoverInput): number | null {
  let left = balanceCents;
  if (left <= 0n) return 0;
  for (let hour = 0; hour < coverHoursMax; hour++) {
    const from = now.getTime() + hour * hourMs;
    for (const { at, cents } of arrivals) {
      const isNow = at.getTime() < from + hourMs && (at.getTime() >= from || hour === 0);
      if (isNow) left += cents;
    }
    left -= week[slotOf(new Date(from))] ?? 0n;
    if (left <= 0n) return hour;
  }
  return null;
}
