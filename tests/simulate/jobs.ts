/**
 * The queue of a simulated world. Its jobs are taken in the scheduler's order, with the statements and the tasks of the worker
 * but without graphile-worker's own polling, whose connections and timers no scheduler could hold.
 */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { catalogue, type PoolName, type Task } from "@cardkeep/db/queue/catalogue";
import type { JobHelpers, TaskList } from "graphile-worker";
import type postgres from "postgres";

export interface DueJob {
  readonly id: string;
  readonly task: Task;
  readonly key: string;
}

/** Tasks whose jobs look again and again, for the whole service. */
export const lookingTasks: Task[] = keysOf(catalogue).filter((task) => catalogue[task].pool === "chain");

/** Jobs that could run now, in an order of their own. */
export const listDueJobs = (ask: postgres.Sql): Promise<DueJob[]> =>
  ask<DueJob[]>`
    select j.id::text, t.identifier as task, coalesce(j.key, '') as key from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    where j.is_available and j.run_at <= (select at from simulation.world_time) and (q.id is null or q.is_available)
    order by t.identifier, j.key, j.id`.then((rows) => [...rows]);

/** Milliseconds of the instant when the next job is due; null without one. */
export async function findNextJobMs(ask: postgres.Sql): Promise<number | null> {
  const [row] = await ask<{ at: number | null }[]>`
    select (extract(epoch from min(run_at)) * 1000)::float8 as at from graphile_worker._private_jobs where is_available`;
  return row?.at ?? null;
}

/**
 * The same of jobs that something waits for: not of those that look again and again. The instant is now while a transaction waits
 * for its block.
 */
export async function findNextOwnJobMs(ask: postgres.Sql): Promise<number | null> {
  const [row] = await ask<{ at: number | null }[]>`
    select (extract(epoch from least(
      (select min(run_at) from graphile_worker.jobs
        where task_identifier <> all(${lookingTasks}) and locked_at is null),
      (select max(world.at) from simulation.world_time world where exists (select from open_relays)))) * 1000)::float8 as at`;
  return row?.at ?? null;
}

const take = `
  with j as (
    select jobs.id, jobs.job_queue_id from graphile_worker._private_jobs jobs
    where jobs.id = $1::bigint and jobs.is_available and run_at <= now()
      and (jobs.job_queue_id is null or jobs.job_queue_id in (
        select id from graphile_worker._private_job_queues queues where queues.is_available for update skip locked))
    for update skip locked),
  q as (
    update graphile_worker._private_job_queues queues set locked_by = $2::text, locked_at = now()
    from j where queues.id = j.job_queue_id)
  update graphile_worker._private_jobs jobs set attempts = jobs.attempts + 1, locked_by = $2::text, locked_at = now()
  from j where jobs.id = j.id returning jobs.id::text, jobs.payload, jobs.attempts, jobs.max_attempts, jobs.run_at`;

const free = `
  update graphile_worker._private_job_queues queues set locked_by = null, locked_at = null
  from j where queues.id = j.job_queue_id and queues.locked_by = $2::text`;

const complete = `
  with j as (delete from graphile_worker._private_jobs where id = $1::bigint returning *) ${free}`;

const fail = `
  with j as (
    update graphile_worker._private_jobs set last_error = $3::text, locked_by = null, locked_at = null,
      run_at = greatest(now(), run_at) + (exp(least(attempts, 10)) * interval '1 second')
    where id = $1::bigint and locked_by = $2::text returning *) ${free}`;

interface Taken {
  id: string;
  payload: unknown;
  attempts: number;
  max_attempts: number;
  run_at: Date;
}

export interface JobRun {
  readonly queue: postgres.Sql;
  readonly poolId: string;
  readonly tasks: (pool: PoolName) => TaskList;
  readonly pool: PoolName;
  onFailure(error: unknown): void;
}

/** Takes a job, runs its task and writes down how it ended; nothing where another worker has it. */
export async function runJob(job: DueJob, { queue, poolId, tasks, pool, onFailure }: JobRun): Promise<void> {
  const [taken] = await queue.unsafe<Taken[]>(take, [job.id, poolId]);
  if (!taken) return;
  const helpers = { job: taken, query: (text: string, values: string[]) => queue.unsafe(text, values) };
  try {
    // The tasks of the worker read no more of their helpers.
    await tasks(pool)[job.task]?.(taken.payload, helpers as never as JobHelpers);
    await queue.unsafe(complete, [job.id, poolId]);
  } catch (error) {
    onFailure(error);
    await queue.unsafe(fail, [job.id, poolId, String(error)]);
  }
}
