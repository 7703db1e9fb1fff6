/** Jobs are added here, and by `addMissingJobs` where one was lost. */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { catalogue, jobKeyIn, jobKeyOf, type Jobs, queueNameIn, type Task } from "./catalogue.ts";

/** A job to be added, to run `delayMs` after the commit, or as soon as that. */
export interface NewJob<T extends Task> {
  payload: Jobs[T];
  delayMs?: number;
}

/**
 * Adds a job in the caller's transaction, to run `delayMs` after it commits.
 *
 * A job of the same task and subject that waits already is moved to this time; one that runs already is followed by it.
 */
export const enqueue = <T extends Task>(on: Executor, task: T, payload: Jobs[T], delayMs = 0): Promise<void> =>
  enqueueAll(on, task, [{ payload, delayMs }]);

/**
 * Adds the job of a subject that the caller's transaction inserts, so that no job of it can exist: the queue looks for none,
 * which takes a quarter of the time of `enqueue`.
 */
export async function enqueueFirst<T extends Task>(on: Executor, task: T, payload: Jobs[T]): Promise<void> {
  const { subject: field, attemptsMax } = catalogue[task];
  const subject = payload[field];
  await on.execute(sql`
    select from graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, ${queueNameIn(task, sql`${subject}::text`)}, now(),
      ${attemptsMax}, ${jobKeyOf(task, subject)}, job_key_mode := 'unsafe_dedupe')`);
}

/** Adds a job as `enqueue` does where none of its task and subject waits; one that does keeps its time. */
export const enqueueIfNone = <T extends Task>(
  on: Executor,
  task: T,
  payload: Jobs[T],
  delayMs: number,
): Promise<void> => addJobs(on, task, [{ payload, delayMs }], { keepsTime: true });

/** Adds jobs of one task for several subjects, as `enqueue` adds one; always in the order of their keys. */
export const enqueueAll = <T extends Task>(on: Executor, task: T, jobs: readonly NewJob<T>[]): Promise<void> =>
  addJobs(on, task, jobs, { keepsTime: false });

/**
 * Adds jobs of one task, as `enqueue` adds one, for the subjects that a query selects as `subject`; none for no row. It is
 * one statement, so that a transaction which holds locks does not wait for the subjects.
 */
export async function enqueueSelected(
  on: Executor,
  task: Task,
  { subjects, requestId }: { subjects: SQL; requestId: string },
): Promise<void> {
  const { subject: field, attemptsMax } = catalogue[task];
  const key = jobKeyIn(sql`${task}::text`, sql`subject`);
  await on.execute(sql`
    select from (select array(
      select (${task}, json_build_object(${field}::text, subject, 'requestId', ${requestId}::text), ${queueNameIn(task, sql`subject`)},
        now(), ${attemptsMax}, ${key}, null, null)::graphile_worker.job_spec
      from (${subjects}) found order by ${key} collate "C") as specs) jobs, graphile_worker.add_jobs(specs) where cardinality(specs) > 0`);
}

/** Has workers look for `count` jobs now, as the queue itself does for jobs that are added. */
export async function wakeWorkers(on: Executor, count: number): Promise<void> {
  await on.execute(sql`select pg_notify('jobs:insert', ${JSON.stringify({ r: Math.random(), count })})`);
}

async function addJobs<T extends Task>(
  on: Executor,
  task: T,
  jobs: readonly NewJob<T>[],
  { keepsTime }: { keepsTime: boolean },
): Promise<void> {
  if (jobs.length === 0) return;
  const { subject: field, attemptsMax } = catalogue[task];
  const specs = jobs.map(({ payload, delayMs = 0 }) => {
    const subject = payload[field];
    return { key: jobKeyOf(task, subject), subject, payload, delay_ms: Math.max(0, Math.round(delayMs)) };
  });
  // A transaction that adds several jobs holds their rows until its commit.
  specs.sort((a, b) => (a.key < b.key ? -1 : 1));
  await on.execute(sql`
    select from graphile_worker.add_jobs(array(
      select (${task}, payload, ${queueNameIn(task, sql`subject`)}, now() + delay_ms * interval '1 millisecond', ${attemptsMax}, key, null, null)::graphile_worker.job_spec
      from json_to_recordset(${JSON.stringify(specs)}::json) as job(key text, subject text, payload json, delay_ms bigint)),
      job_key_preserve_run_at := ${keepsTime})`);
}
