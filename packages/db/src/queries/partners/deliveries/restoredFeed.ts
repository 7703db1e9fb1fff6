/** Numbers of events after a database went back. */
import { type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import type { FeedGap } from "../../../schema/partners/partners.ts";
import { databaseIdentity, isPresentIdentity } from "../../core/databaseIdentity.ts";

/** More events than a partner gets between a backup and its restore. */
const gapPositions = 1_000_000;
/** As long as events are kept. */
const keptDays = 30;

/**
 * Lets each partner's positions and sequences go on behind a gap where another database gave out the last ones: a restored
 * backup does not know which numbers were used after it, and a number must not stand for two events.
 *
 * A subscription is written with its next event only, see `countSequence`: all of a partner's at once take longer than a
 * statement may, from some 110,000 on.
 *
 * To be called under the lock of the fan-out, before it gives out numbers.
 */
export async function leaveGaps(tx: Tx, now: Date): Promise<void> {
  const at = now.toISOString();
  await tx.execute(sql`
    with present as materialized (select ${databaseIdentity} as identity),
    stale as materialized (
      select p.id, p.numbered_by is not null as is_gap, identity from partners p, present
      where p.numbered_by is null or not ${sql.raw(isPresentIdentity("p.numbered_by", "identity"))} order by p.id for no key update of p
    )
    update partners p set
      numbered_by = identity,
      sequence_gaps = p.sequence_gaps + is_gap::int,
      last_position = p.last_position + case when is_gap then ${gapPositions} else 0 end,
      feed_gaps = case when is_gap then
        (select coalesce(jsonb_agg(kept), '[]') from jsonb_array_elements(p.feed_gaps) kept
          where (kept->>'until')::timestamptz > ${at}::timestamptz - ${keptDays} * interval '1 day')
        || jsonb_build_object('after', p.last_position, 'before', p.last_position + ${gapPositions} + 1,
          'since', (select created_at from deliveries order by id desc limit 1), 'until', ${at}::text)
        else p.feed_gaps end
    from stale where p.id = stale.id`);
}

/** SQL of the number that a subscription's next event comes after: behind the gaps of its partner that it has not got yet. */
export const countSequence = (subscription: SQL, partner: SQL): SQL =>
  sql`${subscription}.last_sequence + (${partner}.sequence_gaps - ${subscription}.sequence_gaps) * ${gapPositions}`;

/** The gaps of a partner's feed that end behind a position, oldest first. */
export async function listFeedGaps(
  on: Executor,
  { partnerId, after }: { partnerId: string; after: bigint },
): Promise<FeedGap[]> {
  return on.execute<FeedGap & Record<string, unknown>>(sql`
    select (gap->>'after')::int8::float8 as after, (gap->>'before')::int8::float8 as before,
      to_char((gap->>'since')::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since, gap->>'until' as until
    from partners, jsonb_array_elements(feed_gaps) gap
    where id = ${partnerId} and (gap->>'before')::int8 > ${after.toString()}::int8 order by 2`);
}

/** The last instants between which events may be lost, of all partners; null without a gap since an instant. */
export async function findLostInterval(
  on: Executor,
  since: Date,
): Promise<{ since: Date | null; until: Date; partners: number } | null> {
  const [row] = await on.execute<{ since: string | null; until: string | null; partners: number }>(sql`
    select min((gap->>'since')::timestamptz)::text as since, max((gap->>'until')::timestamptz)::text as until,
      count(distinct id)::int as partners
    from partners, jsonb_array_elements(feed_gaps) gap where (gap->>'until')::timestamptz > ${since.toISOString()}::timestamptz`);
  if (!row || row.until === null) return null;
  return {
    since: row.since === null ? null : new Date(row.since),
    until: new Date(row.until),
    partners: row.partners,
  };
}
