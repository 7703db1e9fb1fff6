/**
 * Which worker pools live.
 *
 * The queue locks a job by its pool's id. As published it frees locks that are four hours old, also those of living pools;
 * our patch has it free none. A worker holds an advisory lock for each of its pools, all on one connection of its own. Where
 * that lock is free, the pool is dead and its jobs are released.
 */
import { sql } from "drizzle-orm";
import type { Db, Tx } from "../client.ts";
import { openSession } from "../openSession.ts";
import { catalogue, type PoolName } from "./catalogue.ts";
import { wakeWorkers } from "./enqueue.ts";
import { refuseReadOnly, writableQuery } from "./pool.ts";
import { jobsTable, queuesTable } from "./tables.ts";

const lockNameOf = (poolId: string): string => `cardkeep:pool:${poolId}`;
/** Every living worker shares this one, so that the living can be counted without their names. */
const livingLockName = "cardkeep:pools";

/** A job locked more recently may belong to a pool that is about to announce itself. */
const graceSeconds = 3;

export interface Announcement {
  /** Resolves when the connection is gone, and with it the proof of life. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** The pools of a worker with the slots of each: that of `chain` has one for each of its tasks. */
export const poolSlots: Readonly<Record<PoolName, number>> = {
  chain: Object.values(catalogue).filter(({ pool }) => pool === "chain").length,
  relay: 10,
  // One of them syncs everybody after a stop, for as long as that takes.
  standing: 8,
  own: 10,
  bulk: 6,
  // One for each endpoint that receives events at the same time: 24 may hang (30 s at most) before others wait.
  strangers: 24,
};

const poolsMax = Object.keys(poolSlots).length;

/** The connections that a worker's pools share: each listens on one, four fetch and complete jobs, a millisecond each. */
export const queueConnectionsMax = poolsMax + 4;

/** The connections of one worker that need a session: its pools, their announcement, and a listener. */
export const sessionConnectionsMax = queueConnectionsMax + 2;

/** Application name of the connections of a worker's queue, by which `findSurplus` counts them. */
export const nameQueue = (workerId: string): string => `cardkeep-queue:${workerId}`;
const nameLiveness = (workerId: string): string => `cardkeep-liveness:${workerId}`;

/**
 * Announces a worker's pools as alive for as long as one dedicated connection holds.
 *
 * @throws Error when the database is away or in recovery; no connection is left behind then
 */
export async function announcePools(
  sessionUrl: string,
  poolIds: readonly string[],
  workerId: string,
): Promise<Announcement> {
  const lost = Promise.withResolvers<void>();
  const client = openSession(sessionUrl, { applicationName: nameLiveness(workerId), onLost: () => lost.resolve() });
  const release = () => client.end({ timeout: 1 });
  try {
    for (const poolId of poolIds) await client`select pg_advisory_lock(hashtextextended(${lockNameOf(poolId)}, 0))`;
    await client`select pg_advisory_lock_shared(hashtextextended(${livingLockName}, 0))`;
  } catch (error) {
    await release();
    throw error;
  }
  return { lost: lost.promise, release };
}

export interface Surplus {
  workerId: string;
  announcements: number;
  connections: number;
}

/** A worker that holds more announcements or connections of the queue than one worker has; null where none does. */
export async function findSurplus(db: Db): Promise<Surplus | null> {
  const [row] = await db.execute<{ workerId: string; announcements: number; connections: number }>(sql`
    with held as (
      select split_part(application_name, ':', 2) as worker,
        count(*) filter (where application_name like 'cardkeep-liveness:%')::int as announcements,
        count(*) filter (where application_name like 'cardkeep-queue:%')::int as connections
      from pg_stat_activity
      where datname = current_database() and application_name ~ '^cardkeep-(liveness|queue):'
      group by 1)
    select worker as "workerId", announcements, connections from held
    where announcements > 1 or connections > ${queueConnectionsMax}
    order by connections desc limit 1`);
  return row ?? null;
}

/** Resolves where the database takes writes. @throws Error where it is in recovery, read-only or away */
export async function requireWritable(db: Db): Promise<void> {
  const [row] = await db.execute<{ recovery: boolean; readOnly: boolean }>(sql.raw(writableQuery));
  refuseReadOnly(row);
}

/** How many workers live. */
export async function countLivingWorkers(db: Db): Promise<number> {
  const [row] = await db.execute<{ workers: number }>(sql`
    select count(*)::int as workers from pg_locks
    where locktype = 'advisory' and mode = 'ShareLock' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = hashtextextended(${livingLockName}, 0)`);
  return row?.workers ?? 0;
}

/** Pools that hold jobs, but for those that may be about to announce themselves. */
const lockers = sql`
  select distinct locked_by as pool from ${jobsTable}
  where not is_available and locked_by is not null and locked_at < now() - ${graceSeconds} * interval '1 second'`;

/** Frees the jobs of dead pools and has them picked up at once; answers the pools' ids. */
export async function recoverDeadPools(db: Db): Promise<string[]> {
  // Most jobs take less than the grace, so there is nothing to lock most of the time.
  if ((await db.execute(lockers)).length === 0) return [];
  return db.transaction(async (tx) => {
    const dead = await tx.execute<{ pool: string }>(sql`
      with lockers as materialized (${lockers})
      select pool from lockers where pg_try_advisory_xact_lock(hashtextextended('cardkeep:pool:' || pool, 0))`);
    const pools = dead.map((row) => row.pool);
    if (pools.length > 0) await freeJobs(tx, pools);
    return pools;
  });
}

/**
 * Frees the queues that no running job holds; answers how many. Where a pool was believed dead and went on, its job ran twice: the end of
 * the first run deletes the job, and that of the second finds none whose queue it could free.
 */
export async function freeIdleQueues(db: Db): Promise<number> {
  const freed = await db.execute(sql`
    update ${queuesTable} queue set locked_by = null, locked_at = null
    where not queue.is_available and queue.locked_at < now() - ${graceSeconds} * interval '1 second' and not exists (
      select from ${jobsTable} job where job.job_queue_id = queue.id and not job.is_available and job.locked_at is not null)
    returning queue.id`);
  if (freed.length > 0) await wakeWorkers(db, freed.length);
  return freed.length;
}

/** Frees the jobs of a pool that stops before they are done, and has them picked up at once; answers how many. */
export const releasePool = (db: Db, poolId: string): Promise<number> => db.transaction((tx) => freeJobs(tx, [poolId]));

async function freeJobs(tx: Tx, pools: readonly string[]): Promise<number> {
  const ids = sql`array(select json_array_elements_text(${JSON.stringify(pools)}::json))`;
  // The worker ended, the job did not fail: without this, kills add up to waits of minutes, and at last to giving up.
  const freed = await tx.execute(
    sql`update ${jobsTable} set attempts = greatest(0, attempts - 1) where not is_available and locked_by = any(${ids}) returning id`,
  );
  await tx.execute(sql`select graphile_worker.force_unlock_workers(${ids})`);
  await wakeWorkers(tx, Math.max(freed.length, pools.length));
  return freed.length;
}
