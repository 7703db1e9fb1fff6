/** The queue's jobs, as the operator sees them. */
import { type SQL, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../client.ts";
import { jobKeyOf, type Task, wakeWorkers } from "./enqueue.ts";

/** Scheduled: its time is still to come. Waiting: it could run now. Failed: given up, for the operator to look at. */
export type JobState = "scheduled" | "waiting" | "running" | "failed";

const jobsTable = sql`graphile_worker._private_jobs`;

/** Which rows of the queue's table are in a state, each in the words of an index that leads to them. */
const inState: Readonly<Record<JobState, SQL>> = {
  waiting: sql`is_available and run_at <= now()`,
  scheduled: sql`is_available and run_at > now()`,
  running: sql`not is_available and locked_at is not null`,
  failed: sql`not is_available and locked_at is null`,
};
const states = Object.keys(inState) as JobState[];

/** State of a row, in SQL. */
const jobState = sql`case ${sql.join(
  states.map((state) => sql`when ${inState[state]} then ${state}`),
  sql` `,
)} end`;

export interface JobRow {
  id: string;
  task: string;
  state: JobState;
  /** The row that it works on; null where its payload names none. */
  subjectId: string | null;
  /** The request that it goes back to. */
  requestId: string | null;
  attempts: number;
  attemptsMax: number;
  runAt: Date;
  createdAt: Date;
  updatedAt: Date;
  /** What its last attempt failed with, word for word: it may quote what nobody should see. */
  lastError: string | null;
}

// Of a payload only the subject and the request are read: whatever else a job may carry is nobody's business.
const selectJobs = sql`
  select jobs.id::text as id, identifier as task, ${jobState} as state, attempts, max_attempts as "attemptsMax",
    run_at as "runAt", created_at as "createdAt", updated_at as "updatedAt", last_error as "lastError",
    (select value from json_each_text(payload) where key <> 'requestId' limit 1) as "subjectId",
    payload ->> 'requestId' as "requestId"
  from ${jobsTable} jobs join graphile_worker._private_tasks tasks on tasks.id = task_id`;

type Instants = "runAt" | "createdAt" | "updatedAt";
type RawJob = Omit<JobRow, Instants> & Record<Instants, string>;

// Outside the query builder instants come as text.
const readJob = ({ runAt, createdAt, updatedAt, ...row }: RawJob): JobRow => ({
  ...row,
  runAt: new Date(runAt),
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
});

/**
 * Jobs in the order of their time, those that should have run longest ago first; `after` names the last one that is known
 * already, and where that is done by now they begin anew.
 */
export async function listJobs(
  on: Executor,
  input: { state: JobState | null; after: bigint | null; limit: number },
): Promise<JobRow[]> {
  // Each state by its own index, as far as the page goes.
  const ofState = (state: JobState): SQL => sql`(${selectJobs}
    where ${inState[state]} and (run_at, jobs.id) > ((select run_at from known), (select id from known))
    order by run_at, jobs.id limit ${input.limit})`;
  const rows = await on.execute<RawJob>(sql`
    with known as (select coalesce(max(run_at), '-infinity') as run_at, coalesce(max(id), 0) as id
      from ${jobsTable} where id = ${input.after}::bigint)
    select * from (${sql.join((input.state === null ? states : [input.state]).map(ofState), sql` union all `)}) job
    order by "runAt", id::bigint limit ${input.limit}`);
  return rows.map(readJob);
}

/** Jobs of any of these tasks that work on any of these rows, in the order of their time. */
export async function listJobsOf(
  on: Executor,
  { tasks, subjectIds }: { tasks: readonly Task[]; subjectIds: readonly string[] },
): Promise<JobRow[]> {
  const keys = tasks.flatMap((task) => subjectIds.map((subjectId) => jobKeyOf(task, subjectId)));
  const rows = await on.execute<RawJob>(sql`
    ${selectJobs} where jobs.key in (select json_array_elements_text(${JSON.stringify(keys)}::json)) order by run_at`);
  return rows.map(readJob);
}

export async function findJob(on: Executor, id: bigint): Promise<JobRow | null> {
  const [row] = await on.execute<RawJob>(sql`${selectJobs} where jobs.id = ${id}::bigint`);
  return row ? readJob(row) : null;
}

/**
 * Has the job `$1`, which failed, run behind all that did not (0): what fails again and again holds up nothing else. For
 * the queue's own connections, beside which it writes down the failure.
 */
export const yieldToOthers = "update graphile_worker._private_jobs set priority = 1 where id = $1";

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
  reschedule(tx, sql`array(select id from ${jobsTable} where ${inState.failed} order by run_at, id limit ${limit})`);

export interface JobCount {
  task: Task;
  state: JobState;
  count: number;
  /** Seconds since the longest-standing of them could have run; 0 for scheduled ones. */
  oldestSeconds: number;
}

/** Of each state no more are counted: beyond it only "too many" is news, and the counting would take ever longer. */
export const jobsCountedMax = 5_000;

/** The queue's jobs by task and state; of each state the oldest `jobsCountedMax`. */
export async function countJobs(db: Db): Promise<JobCount[]> {
  const ofState = (state: JobState): SQL => sql`(select task_id, ${state}::text as state, run_at from ${jobsTable}
    where ${inState[state]} order by run_at limit ${jobsCountedMax})`;
  return db.execute<JobCount & Record<string, unknown>>(sql`
    select identifier as task, state, count(*)::int,
      greatest(0, extract(epoch from now() - min(run_at)))::float8 as "oldestSeconds"
    from (${sql.join(states.map(ofState), sql` union all `)}) job
      join graphile_worker._private_tasks tasks on tasks.id = task_id group by task, state order by task, state`);
}

/** For how many seconds the longest-waiting job could have run; 0 where none waits. However many there are, it is looked up. */
export async function findOldestWaitSeconds(db: Db): Promise<number> {
  const [row] = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from now() - run_at)::float8 as seconds from ${jobsTable}
    where ${inState.waiting} order by run_at limit 1`);
  return row?.seconds ?? 0;
}
