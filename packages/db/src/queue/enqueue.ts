/** Jobs are added here, and by `addMissingJobs` where one was lost. A commit writes them last: see `collectJobs.ts`. */
import { SQL, sql } from "drizzle-orm";
import { setTimeout } from "node:timers/promises";
import type { Db, Executor, Tx } from "../client.ts";
import { prepareStatement } from "../prepareStatement.ts";
import { outboxChannel } from "../schema/partners/outbox.ts";
import { catalogue, jobKeyOf, type Jobs, queueNameIn, type Task } from "./catalogue.ts";
import {
  type AddedJob,
  collectAdded,
  collectJobs,
  collectRemoved,
  collectSelected,
  type Encounter,
  type SelectedJobs,
  selectSubjects,
} from "./collectJobs.ts";
import { addAll, insertJobs } from "./insertJobs.ts";
import { jobKeyIn } from "./jobKeyIn.ts";
import { jobsTable, queuesTable, tasksTable } from "./tables.ts";

/** A job to be added, to run `delayMs` after the commit, or as soon as that. */
export interface NewJob<T extends Task> {
  payload: Jobs[T];
  delayMs?: number;
  isLast?: boolean;
}

/**
 * Adds a job in the caller's transaction, to run `delayMs` after it commits.
 *
 * A job of the same task and subject that waits already is moved to this time; one that runs already is followed by it.
 */
export const enqueue = <T extends Task>(on: Executor, task: T, payload: Jobs[T], delayMs = 0): Promise<void> =>
  enqueueAll(on, task, [{ payload, delayMs }]);

/** Adds a job as `enqueue` does, behind all other jobs of its pool: also behind those that are added later. */
export const enqueueLast = <T extends Task>(on: Executor, task: T, payload: Jobs[T]): Promise<void> =>
  addJobs(on, task, [{ payload, isLast: true }], "moves");

/** Adds a job as `enqueue` does where none of its task and subject waits; one that does keeps its time. */
export const enqueueIfNone = <T extends Task>(
  on: Executor,
  task: T,
  payload: Jobs[T],
  delayMs: number,
): Promise<void> => addJobs(on, task, [{ payload, delayMs }], "keepsTime");

/** Adds a job where there is none of its task and subject: one that waits, runs or was given up stays as it is. */
export const enqueueIfAbsent = <T extends Task>(on: Executor, task: T, payload: Jobs[T]): Promise<void> =>
  addJobs(on, task, [{ payload }], "stays");

/** Adds jobs of one task for several subjects, as `enqueue` adds one; always in the order of their keys. */
export const enqueueAll = <T extends Task>(on: Executor, task: T, jobs: readonly NewJob<T>[]): Promise<void> =>
  addJobs(on, task, jobs, "moves");

/** Removes the waiting job of a subject, because its work is done. One that runs already ends by itself. */
export async function dequeue(tx: Tx, task: Task, subjectId: string): Promise<void> {
  const key = jobKeyOf(task, subjectId);
  if (!collectRemoved(tx, task, key)) await removeJob(tx, key);
}

async function removeJob(on: Executor, key: string): Promise<void> {
  await on.execute(sql`delete from ${jobsTable} where key = ${key} and locked_at is null`);
}

/**
 * Has the jobs of a transaction written by the returned function, which is its last step. It answers whether the caller has to call
 * `wakeSoon` after the commit.
 */
export const writeJobsLast = (tx: Tx): (() => Promise<boolean>) =>
  collectJobs(tx, { add: insertJobs, remove: removeJob, addSelected: insertQuietly });

/**
 * Adds jobs of one task, as `enqueue` adds one, and does not notify. If it returns true, the caller calls `wakeSoon` after its
 * commit.
 */
export const enqueueQuietly = async (on: Executor, task: Task, selected: SelectedJobs): Promise<boolean> =>
  !collectSelected(on, task, selected) && insertQuietly(on, task, selected);

/**
 * A transaction that notifies locks out all others that notify until it is on disk, so these are committed one by one. What
 * the queue's own function does for a job that runs or failed is done only where there is one.
 */
async function insertQuietly(on: Executor, task: Task, selected: SelectedJobs): Promise<boolean> {
  const [subject, ...others] = selected.subjects instanceof SQL ? [] : selected.subjects;
  if (subject !== undefined && others.length === 0 && catalogue[task].queue === "none") {
    const { count } = await on.execute(buildSingle(task)({ subject, requestId: selected.requestId }));
    if (count === 0) await enqueueSelected(on, task, selected);
    return true;
  }
  const { subject: field, attemptsMax } = catalogue[task];
  const [counts] = await on.execute<{ selected: number; added: number }>(sql`
    with selected as materialized (
      select subject, ${jobKeyIn(sql`${task}::text`, sql`subject`)} as key, ${queueNameIn(task, sql`subject`)} as queue_name
      from (${selectSubjects(selected.subjects)}) subjects),
    added as (
      insert into ${jobsTable} (job_queue_id, task_id, payload, run_at, max_attempts, key)
      select queue.id, task.id, json_build_object(${field}::text, subject, 'requestId', ${selected.requestId}::text), now(), ${attemptsMax}, key
      from selected join ${tasksTable} task on identifier = ${task} left join ${queuesTable} queue using (queue_name)
      where queue_name is null or queue.id is not null order by key collate "C"
      on conflict (key) do nothing returning 1)
    select (select count(*)::int from selected) as selected, (select count(*)::int from added) as added`);
  if (counts?.selected !== counts?.added) await enqueueSelected(on, task, selected);
  return counts !== undefined && counts.selected > 0;
}

const singles = new Map<Task, ReturnType<typeof prepareStatement<"subject" | "requestId">>>();

/**
 * The insert of one job of a task without queues. One that waits is moved, as the queue's own function does. Where one runs or has
 * failed for good, nothing is written.
 */
function buildSingle(task: Task): ReturnType<typeof prepareStatement<"subject" | "requestId">> {
  const known = singles.get(task);
  if (known) return known;
  const { subject: field, attemptsMax } = catalogue[task];
  const [subject, requestId] = [sql`${sql.placeholder("subject")}::text`, sql`${sql.placeholder("requestId")}::text`];
  const single = prepareStatement<"subject" | "requestId">(sql`
    insert into ${jobsTable} as job (task_id, payload, run_at, max_attempts, key)
    select id, json_build_object(${field}::text, ${subject}, 'requestId', ${requestId}), now(), ${attemptsMax}, ${jobKeyIn(sql`identifier`, subject)}
    from ${tasksTable} where identifier = ${task}
    on conflict (key) do update set payload = excluded.payload, run_at = excluded.run_at, max_attempts = excluded.max_attempts,
      revision = job.revision + 1, attempts = 0, last_error = null, updated_at = now() where job.is_available`);
  singles.set(task, single);
  return single;
}

/** Adds jobs of one task, as `enqueue` adds one, in one statement. */
async function enqueueSelected(on: Executor, task: Task, selected: SelectedJobs): Promise<void> {
  const { subject: field, attemptsMax } = catalogue[task];
  const key = jobKeyIn(sql`${task}::text`, sql`subject`);
  await addAll(
    on,
    sql`
    select cardinality(specs) as given, (select count(*)::int from graphile_worker.add_jobs(specs)) as added from (select array(
      select (${task}, json_build_object(${field}::text, subject, 'requestId', ${selected.requestId}::text), ${queueNameIn(task, sql`subject`)},
        now(), ${attemptsMax}, ${key}, null, null)::graphile_worker.job_spec
      from (${selectSubjects(selected.subjects)}) subjects order by ${key} collate "C") as specs offset 0) jobs`,
  );
}

/** Has workers look for `count` jobs now, as the queue itself does for jobs that are added. */
export async function wakeWorkers(on: Executor, count: number): Promise<void> {
  await on.execute(sql`select ${notifyJobs(count)}`);
}

const notifyJobs = (count: number) => sql`pg_notify('jobs:insert', ${JSON.stringify({ r: Math.random(), count })})`;

/** What workers are woken for: jobs of the queue, or events that wait for their deliveries. */
export type Wakeup = "jobs" | "events";

const wakings = new WeakMap<Db, { jobs: number; events: number; isBusy: boolean }>();

/** Pause after a notification. Each is a commit of its own, so a busy process shares one among several of its commits. */
const wakingPauseMs = 20;

/**
 * Wakes the workers for what a commit added. Commits during a notification and the pause after it share the next one. Where
 * it fails, the workers find jobs and events within a second.
 */
export async function wakeSoon(db: Db, wakeups: ReadonlySet<Wakeup>): Promise<void> {
  const waking = wakings.get(db) ?? { jobs: 0, events: 0, isBusy: false };
  wakings.set(db, waking);
  for (const wakeup of wakeups) waking[wakeup] += 1;
  if (waking.isBusy) return;
  waking.isBusy = true;
  try {
    while (waking.jobs + waking.events > 0) {
      const { jobs, events } = waking;
      Object.assign(waking, { jobs: 0, events: 0 });
      const calls = [jobs > 0 && notifyJobs(jobs), events > 0 && sql`pg_notify(${outboxChannel}, '')`];
      await db.execute(
        sql`select ${sql.join(
          calls.filter((call) => call !== false),
          sql`, `,
        )}`,
      );
      await setTimeout(wakingPauseMs);
    }
  } finally {
    waking.isBusy = false;
  }
}

async function addJobs<T extends Task>(
  on: Executor,
  task: T,
  given: readonly NewJob<T>[],
  known: Encounter,
): Promise<void> {
  const { subject: field } = catalogue[task];
  const jobs = given.map(({ payload, delayMs = 0, isLast = false }): AddedJob => {
    const subject = payload[field];
    return { task, key: jobKeyOf(task, subject), subject, payload, delayMs, isLast, known };
  });
  // A transaction that adds several jobs holds their rows until its commit.
  if (!collectAdded(on, jobs))
    await insertJobs(
      on,
      jobs.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
}
