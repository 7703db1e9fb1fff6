/** Budgets of requests that all servers draw from. */
import { sql } from "drizzle-orm";
import type { Db } from "../../client.ts";
import { rateLimits } from "../../schema/tables.ts";

/** Each grant is this share of the remaining requests, so that an idle server leaves few of them unused. */
const grantsPerBudget = 20;

/** So many requests of a budget, until its window ends. */
export interface Grant {
  /** 0: the budget is used up. */
  readonly count: number;
  readonly endsAt: Date;
}

/**
 * Draws a grant from a budget of `count` requests in `withinMs`; the first one opens the window.
 *
 * The grants of one window never add up to more than `count`, however many servers ask at once.
 */
export async function drawGrant(
  db: Db,
  input: { key: string; count: number; withinMs: number; now: Date },
): Promise<Grant> {
  const { key, count, withinMs, now } = input;
  const share = (left: ReturnType<typeof sql>) => sql`least(${left}, greatest(1, (${left}) / ${grantsPerBudget}))`;
  const isOver = sql`${rateLimits.endsAt} <= ${now.toISOString()}::timestamptz`;
  const first = Math.max(1, Math.floor(count / grantsPerBudget));
  const next = share(sql`greatest(0, ${count}::int - ${rateLimits.granted})`);
  const endsAt = new Date(now.getTime() + withinMs);
  const [row] = await db
    .insert(rateLimits)
    .values({ key, granted: first, lastGrant: first, endsAt })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        granted: sql`case when ${isOver} then ${first}::int else ${rateLimits.granted} + ${next} end`,
        lastGrant: sql`case when ${isOver} then ${first}::int else ${next} end`,
        endsAt: sql`case when ${isOver} then ${endsAt.toISOString()}::timestamptz else ${rateLimits.endsAt} end`,
      },
    })
    .returning({ count: rateLimits.lastGrant, endsAt: rateLimits.endsAt });
  return row ?? { count: 0, endsAt };
}
