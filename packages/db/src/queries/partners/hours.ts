/** Counts by hour: decisions of the servers, and attempts to deliver. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { and, asc, gte, sql } from "drizzle-orm";
import type { Db, Executor } from "../../client.ts";
import { decisionHours, deliveryHours } from "../../schema/tables.ts";

/** Decisions with one answer and about one duration. */
export interface DecisionCount {
  readonly reason: string;
  /** One of `decisionMsBounds`, or `issuerMsMax`. */
  readonly msMax: number;
  readonly count: number;
}

const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs);

/** Adds decisions to those of the hour that is under way. */
export async function addDecisions(db: Db, counts: readonly DecisionCount[], now: Date): Promise<void> {
  if (counts.length === 0) return;
  const nameOf = ({ reason, msMax }: DecisionCount): string => `${reason} ${msMax}`;
  const rows = counts
    // Servers that add at once take the row locks in one order.
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map(({ count, ...key }) => ({ ...key, hour: hourOf(now), count: BigInt(count) }));
  await db
    .insert(decisionHours)
    .values(rows)
    .onConflictDoUpdate({
      target: [decisionHours.hour, decisionHours.reason, decisionHours.msMax],
      set: { count: sql`${decisionHours.count} + excluded.count` },
    });
}

/** Decisions of the hours from an instant on, oldest first: a few rows for each hour and answer. */
export async function listDecisionCounts(on: Executor, since: Date): Promise<(DecisionCount & { hour: Date })[]> {
  const rows = await on
    .select()
    .from(decisionHours)
    .where(gte(decisionHours.hour, hourOf(since)))
    .orderBy(asc(decisionHours.hour), asc(decisionHours.reason), asc(decisionHours.msMax));
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }));
}

export interface AttemptCount {
  readonly hour: Date;
  readonly succeeded: number;
  readonly failed: number;
}

const succeeded = sql<number>`sum(${deliveryHours.succeeded})::float8`;
const failed = sql<number>`sum(${deliveryHours.failed})::float8`;

/** Attempts at all endpoints, or at one partner's, by hour from an instant on, oldest first. */
export async function listAttemptCounts(
  on: Executor,
  { partnerId, since }: { partnerId: string | null; since: Date },
): Promise<AttemptCount[]> {
  const ofPartner = partnerId === null ? undefined : sql`${deliveryHours.partnerId} = ${partnerId}`;
  return on
    .select({ hour: deliveryHours.hour, succeeded, failed })
    .from(deliveryHours)
    .where(and(ofPartner, gte(deliveryHours.hour, hourOf(since))))
    .groupBy(deliveryHours.hour)
    .orderBy(asc(deliveryHours.hour));
}

/** Attempts at each of these partners' endpoints since two instants. */
export async function sumAttempts(
  on: Executor,
  { partnerIds, daySince, weekSince }: { partnerIds: readonly string[]; daySince: Date; weekSince: Date },
): Promise<{ partnerId: string; day: AttemptSum; week: AttemptSum }[]> {
  const isToday = sql`filter (where hour >= ${hourOf(daySince).toISOString()}::timestamptz)`;
  // Each partner by itself: an index leads to its hours, and those of others are not read.
  const rows = await on.execute<
    Record<"succeeded" | "failed" | "daySucceeded" | "dayFailed", number> & { partnerId: string }
  >(sql`
    select wanted.id as "partnerId", sums.* from json_array_elements_text(${JSON.stringify(partnerIds)}::json) wanted(id)
      cross join lateral (
        select sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed,
          coalesce(sum(succeeded) ${isToday}, 0)::float8 as "daySucceeded", coalesce(sum(failed) ${isToday}, 0)::float8 as "dayFailed"
        from delivery_hours where partner_id = wanted.id and hour >= ${hourOf(weekSince).toISOString()}::timestamptz) sums
    where sums.succeeded is not null`);
  return rows.map((row) => ({
    partnerId: row.partnerId,
    day: { succeeded: row.daySucceeded, failed: row.dayFailed },
    week: { succeeded: row.succeeded, failed: row.failed },
  }));
}

export type AttemptSum = Omit<AttemptCount, "hour">;
