/**
 * The queue's own tables. graphile-worker calls them private: their shape is that of its pinned version.
 *
 * No file outside this folder names them; a test of the architecture says so.
 */
import { type SQL, sql } from "drizzle-orm";

/** One row a job. */
export const jobsTable = sql`graphile_worker._private_jobs`;

/** One row a task, with its name in `identifier`. */
export const tasksTable = sql`graphile_worker._private_tasks`;

/** One row a queue whose jobs run one after the other, with its name in `queue_name`. */
export const queuesTable = sql`graphile_worker._private_job_queues`;

/** Condition: the queue's migrations ran in this database. */
export const hasQueueTables: SQL = sql`to_regclass('graphile_worker._private_jobs') is not null`;

/** Scheduled: its time is still to come. Waiting: it could run now. Failed: given up, for the operator to look at. */
export type JobState = "scheduled" | "waiting" | "running" | "failed";

/** Which rows of the jobs' table are in a state, each in the words of an index that leads to them. */
export const isInState: Readonly<Record<JobState, SQL>> = {
  waiting: sql`is_available and run_at <= now()`,
  scheduled: sql`is_available and run_at > now()`,
  running: sql`not is_available and locked_at is not null`,
  failed: sql`not is_available and locked_at is null`,
};
