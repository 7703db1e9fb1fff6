/** Attempts to deliver events to partners, by hour and by partner. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { countFailedDeliveries } from "@cardkeep/db/queries/partners/deliveries/backlogs";
import {
  type AttemptCount,
  type AttemptSum,
  listAttemptCounts,
  sumAttempts,
} from "@cardkeep/db/queries/partners/hours";
import type { Services } from "../../core/services.ts";

/** Attempts of the last `count` hours, at all endpoints or at one partner's: every hour, oldest first. */
export async function listAttemptHours(
  { db, clock }: Pick<Services, "db" | "clock">,
  { partnerId = null, count }: { partnerId?: string | null; count: number },
): Promise<AttemptCount[]> {
  const now = await clock.now(db);
  const firstMs = Math.floor(now.getTime() / hourMs) * hourMs - (count - 1) * hourMs;
  const rows = await listAttemptCounts(db, { partnerId, since: new Date(firstMs) });
  const known = new Map(rows.map((row) => [row.hour.getTime(), row]));
  return Array.from({ length: count }, (_, index) => {
    const hour = new Date(firstMs + index * hourMs);
    return known.get(hour.getTime()) ?? { hour, succeeded: 0, failed: 0 };
  });
}

/** The attempts at a partner's endpoint within a day and within a week. */
export interface SuccessRates {
  readonly day: AttemptSum;
  readonly week: AttemptSum;
}

/** The attempts at each of these partners' endpoints; none for a partner without any. */
export async function listSuccessRates(
  { db, clock }: Pick<Services, "db" | "clock">,
  { partnerIds }: { partnerIds: readonly string[] },
): Promise<Map<string, SuccessRates>> {
  const now = (await clock.now(db)).getTime();
  const since = { daySince: new Date(now - dayMs), weekSince: new Date(now - 7 * dayMs) };
  const rows = partnerIds.length === 0 ? [] : await sumAttempts(db, { partnerIds, ...since });
  return new Map(rows.map(({ partnerId, ...rates }) => [partnerId, rates]));
}

/** Deliveries that were given up, of all partners: see `failedCountedMax`. */
export const countFailed = ({ db }: Pick<Services, "db">): Promise<number> => countFailedDeliveries(db);
