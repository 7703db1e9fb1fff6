/** Other times and priorities for jobs that are in the queue. */
import { type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { wakeWorkers } from "./enqueue.ts";
import { isInState, jobsTable } from "./tables.ts";

/** The pause of the queue is e^attempts seconds: seven for a job that the whole service needs. */
const chainAttemptsMax = 2;

/**
 * Plans the next attempt of the failed job `$1` up to half later than the queue does, so that jobs that failed together do
 * not return together. It keeps its priority: behind all others it would never run while there are many. `$2` is its pool:
 * one of `chain` is never given up. For the queue's own connections, beside which it writes down the failure.
 */
export const spreadRetry = `
  update graphile_worker._private_jobs
  set attempts = case when $2::text = 'chain' and key is not null then least(attempts, ${chainAttemptsMax}) else attempts end,
    run_at = greatest(now(), run_at) + random() / 2 * interval '1 second'
      * exp(least(attempts, case when $2::text = 'chain' then ${chainAttemptsMax} else 10 end))
  where id = $1`;

/**
 * Deletes jobs that failed while a newer job of their key waited: that one does their work. The queue would keep them as
 * given up. Answers how many.
 */
export async function deleteSuperseded(on: Executor): Promise<number> {
  const rows = await on.execute(sql`delete from ${jobsTable} where ${isInState.failed} and key is null returning id`);
  return rows.length;
}

/** Has some jobs run now, as if none had failed: with all their attempts before them; answers how many could be. */
async function reschedule(tx: Tx, ids: SQL): Promise<number> {
  const rows = await tx.execute(sql`
    select id from graphile_worker.reschedule_jobs(${ids}, run_at := now(), priority := 0, attempts := 0)`);
  await wakeWorkers(tx, rows.length);
  return rows.length;
}

/** Has a job run now, with all its attempts before it again; false when it runs already or is gone. */
export const rescheduleJob = async (tx: Tx, id: bigint): Promise<boolean> =>
  (await reschedule(tx, sql`array[${id}::bigint]`)) === 1;

/** The same for the `limit` oldest of the jobs that were given up; answers how many. They are locked in the order of their keys. */
export const rescheduleFailedJobs = (tx: Tx, limit: number): Promise<number> => {
  const oldest = sql`select id from ${jobsTable} where ${isInState.failed} order by run_at, id limit ${limit}`;
  return reschedule(
    tx,
    sql`array(select id from ${jobsTable} where id in (${oldest}) order by key collate "C", id for update)`,
  );
};

/**
 * Moves the queue's time ahead together with the service's: a job that runs keeps its time. The instants of its making and
 * its last change move as well, so that they stay as they were by the service's clock.
 */
export async function advanceJobs(tx: Tx, seconds: number): Promise<void> {
  const span = sql`${seconds} * interval '1 second'`;
  await tx.execute(sql`
    update ${jobsTable} set run_at = run_at - ${span}, created_at = created_at - ${span}, updated_at = updated_at - ${span}
    where locked_at is null`);
  await wakeWorkers(tx, 1);
}
