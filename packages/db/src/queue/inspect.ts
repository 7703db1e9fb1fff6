/** The queue's jobs, as the operator sees them. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type SQL, sql } from "drizzle-orm";
import type { Db, Executor } from "../client.ts";
import { jobKeyOf, type Task } from "./catalogue.ts";
import { jobKeyIn } from "./jobKeyIn.ts";
import { isInState, jobsTable, type JobState, queuesTable, tasksTable } from "./tables.ts";

const states = keysOf(isInState);

/** State of a row, in SQL. */
export const jobState = sql`case ${sql.join(
  states.map((state) => sql`when ${isInState[state]} then ${state}`),
  sql` `,
)} end`;

export interface JobRow {
  id: string;
  task: string;
  state: JobState;
  /** The row that it works on; null where its payload names none. */
  subjectId: string | null;
  /** The request that caused the job. */
  requestId: string | null;
  attempts: number;
  attemptsMax: number;
  runAt: Date;
  createdAt: Date;
  updatedAt: Date;
  /** Error of the last attempt, word for word. It may quote secret or personal data. */
  lastError: string | null;
}

// Only the subject and the request of a payload are read; other fields may be personal.
const selectJobs = sql`
  select jobs.id::text as id, identifier as task, ${jobState} as state, attempts, max_attempts as "attemptsMax",
    run_at as "runAt", created_at as "createdAt", updated_at as "updatedAt", last_error as "lastError",
    (select value from json_each_text(payload) where key <> 'requestId' limit 1) as "subjectId",
    payload ->> 'requestId' as "requestId"
  from ${jobsTable} jobs join ${tasksTable} tasks on tasks.id = task_id`;

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
 * Jobs in the order of their time, those that are most overdue first; `after` names the last row of the page before. If that
 * job has ended, the list begins again.
 */
export async function listJobs(
  on: Executor,
  input: { state: JobState | null; after: bigint | null; limit: number },
): Promise<JobRow[]> {
  // Each state by its own index, as far as the page goes.
  const ofState = (state: JobState): SQL => sql`(${selectJobs}
    where ${isInState[state]} and (run_at, jobs.id) > ((select run_at from known), (select id from known))
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

/** Condition: a job of the task for this subject runs, or could run now. */
export const hasActiveJob = (task: Task, subject: SQL): SQL => sql`exists (
  select from ${jobsTable} j
  where j.key = ${jobKeyIn(sql`${task}::text`, subject)} and (j.locked_at is not null or j.run_at <= now()))`;

/** Condition: the job of the task for this subject was added longer ago than that, and since then it failed or waits for a worker. */
export function hasLateJob(task: Task, subject: SQL, seconds: number): SQL {
  const before = sql`now() - ${seconds} * interval '1 second'`;
  return sql`(
    select j.created_at < ${before} and (j.last_error is not null or j.run_at < ${before}) from ${jobsTable} j
    where j.key = ${jobKeyIn(sql`${task}::text`, subject)}) is true`;
}

export interface JobCount {
  task: Task;
  state: JobState;
  count: number;
  /** Seconds since the longest-standing of them could have run; 0 for scheduled ones, and for those that wait for one of their queue. */
  oldestSeconds: number;
}

/** Of each state no more are counted: beyond it only "too many" is news, and the counting would take ever longer. */
export const jobsCountedMax = 5_000;

/** Condition: no job of the same queue runs, for which it would wait however many workers there are. */
const isInFreeQueue: SQL = sql`(job_queue_id is null
  or job_queue_id not in (select id from ${queuesTable} where not is_available))`;

/** The queue's jobs by task and state; of each state the oldest `jobsCountedMax`. */
export async function countJobs(db: Db): Promise<JobCount[]> {
  const ofState = (
    state: JobState,
  ): SQL => sql`(select task_id, job_queue_id, ${state}::text as state, run_at from ${jobsTable}
    where ${isInState[state]} order by run_at limit ${jobsCountedMax})`;
  return db.execute<JobCount & Record<string, unknown>>(sql`
    select identifier as task, state, count(*)::int,
      greatest(0, extract(epoch from now() - min(run_at) filter (where state <> 'waiting' or ${isInFreeQueue})))::float8
        as "oldestSeconds"
    from (${sql.join(states.map(ofState), sql` union all `)}) job
      join ${tasksTable} tasks on tasks.id = task_id group by task, state order by task, state`);
}

/** For how many seconds the longest-waiting job of those could have run that wait for a worker alone; 0 where there is none. */
export async function findOldestWaitSeconds(db: Db): Promise<number> {
  const [row] = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from now() - run_at)::float8 as seconds from ${jobsTable}
    where ${isInState.waiting} and ${isInFreeQueue} order by run_at limit 1`);
  return row?.seconds ?? 0;
}
