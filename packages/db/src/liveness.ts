/**
 * Which worker pools live.
 *
 * The queue locks a job by its pool's id and frees the locks of a pool that died only after four hours. Here every pool
 * holds an advisory lock on a connection of its own; where that lock is free, the pool is dead and its jobs are anybody's.
 */
import { sql } from "drizzle-orm";
import postgres from "postgres";
import type { Db } from "./client.ts";
import { wakeWorkers } from "./jobs.ts";

const lockNameOf = (poolId: string): string => `cardkeep:pool:${poolId}`;
/** Every living pool shares this one, so that the living can be counted without their names. */
const livingLockName = "cardkeep:pools";

/** A job locked more recently may belong to a pool that is about to announce itself. */
const graceSeconds = 3;

export interface Announcement {
  /** Resolves when the connection is gone, and with it the proof of life. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/** Announces a pool as alive for as long as one dedicated connection holds. */
export async function announcePool(databaseUrl: string, poolId: string): Promise<Announcement> {
  const lost = Promise.withResolvers<void>();
  const client = postgres(databaseUrl, {
    max: 1,
    connect_timeout: 5,
    idle_timeout: 0,
    // The driver would otherwise replace the connection now and then, and the lock with it.
    max_lifetime: null,
    onnotice: () => {},
    onclose: () => lost.resolve(),
    connection: { application_name: "cardkeep-liveness" },
  });
  await client`select pg_advisory_lock(hashtextextended(${lockNameOf(poolId)}, 0))`;
  await client`select pg_advisory_lock_shared(hashtextextended(${livingLockName}, 0))`;
  return { lost: lost.promise, release: () => client.end({ timeout: 1 }) };
}

/** How many pools live, in whichever process. */
export async function countLivingPools(db: Db): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int from pg_locks
    where locktype = 'advisory' and mode = 'ShareLock' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = hashtextextended(${livingLockName}, 0)`);
  return row?.count ?? 0;
}

/** Frees the jobs of dead pools and has them picked up at once; answers the pools' ids. */
export async function recoverDeadPools(db: Db): Promise<string[]> {
  return db.transaction(async (tx) => {
    const dead = await tx.execute<{ pool: string }>(sql`
      with lockers as materialized (
        select distinct locked_by as pool from graphile_worker._private_jobs
        where not is_available and locked_by is not null and locked_at < now() - ${graceSeconds} * interval '1 second')
      select pool from lockers where pg_try_advisory_xact_lock(hashtextextended('cardkeep:pool:' || pool, 0))`);
    const pools = dead.map((row) => row.pool);
    if (pools.length > 0) {
      const ids = sql`array(select json_array_elements_text(${JSON.stringify(pools)}::json))`;
      // Its worker died, the job did not fail: without this, kills add up to waits of minutes, and at last to giving up.
      await tx.execute(
        sql`update graphile_worker._private_jobs set attempts = greatest(0, attempts - 1) where not is_available and locked_by = any(${ids})`,
      );
      await tx.execute(sql`select graphile_worker.force_unlock_workers(${ids})`);
      await wakeWorkers(tx, pools.length);
    }
    return pools;
  });
}
