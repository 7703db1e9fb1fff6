/** Other times and priorities for jobs that are in the queue. */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client.ts";
import { wakeWorkers } from "./enqueue.ts";
import { isInState, jobsTable } from "./tables.ts";

/**
 * Has the job `$1`, which failed, run behind all that did not (0): what fails again and again holds up nothing else. Its next
 * attempt comes up to half later than the queue plans it, so that jobs that failed together do not return together. For
 * the queue's own connections, beside which it writes down the failure.
 */
export const yieldToOthers = `
  update graphile_worker._private_jobs
  set priority = 1, run_at = greatest(now(), run_at) + random() / 2 * exp(least(attempts, 10)) * interval '1 second'
  where id = $1`;

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

/** The same for the `limit` oldest of the jobs that were given up; answers how many. */
export const rescheduleFailedJobs = (tx: Tx, limit: number): Promise<number> =>
  reschedule(tx, sql`array(select id from ${jobsTable} where ${isInState.failed} order by run_at, id limit ${limit})`);

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
