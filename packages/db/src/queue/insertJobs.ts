/**
 * The statements that add jobs whose keys may have one already. It gets the new time and payload, keeps its time, or stays as it
 * is: see `Encounter`.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { inParts } from "../many.ts";
import { catalogue, queueNameIn } from "./catalogue.ts";
import type { AddedJob } from "./collectJobs.ts";

/** Adds jobs of one task, which all meet a job of their key alike. */
export async function insertJobs(on: Executor, jobs: readonly AddedJob[]): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const { task, known } = first;
  for (const part of inParts(jobs)) await insertPart(on, part, { task, known });
}

/** Jobs of a lower number run first; that of all others is 0. */
const lastPriority = 1;

/** In one statement: of many thousand jobs it takes longer than a statement may. */
async function insertPart(
  on: Executor,
  jobs: readonly AddedJob[],
  { task, known }: Pick<AddedJob, "task" | "known">,
): Promise<void> {
  const specs = jobs.map(({ key, subject, payload, delayMs, isLast }) => ({
    key,
    subject,
    payload,
    delay_ms: Math.max(0, Math.round(delayMs)),
    priority: isLast ? lastPriority : 0,
  }));
  const [queue, runAt] = [queueNameIn(task, sql`subject`), sql`now() + delay_ms * interval '1 millisecond'`];
  const given = sql`json_to_recordset(${JSON.stringify(specs)}::json) as job(key text, subject text, payload json, delay_ms bigint, priority smallint)`;
  if (known === "stays") {
    await on.execute(sql`
      select graphile_worker.add_job(${task}, payload, queue_name := ${queue}, run_at := ${runAt},
        max_attempts := ${catalogue[task].attemptsMax}, job_key := key, priority := priority, job_key_mode := 'unsafe_dedupe')
      from ${given}`);
    return;
  }
  await addAll(
    on,
    sql`
    select ${specs.length}::int as given, count(*)::int as added from graphile_worker.add_jobs(array(
      select (${task}, payload, ${queue}, ${runAt}, ${catalogue[task].attemptsMax}, key, priority, null)::graphile_worker.job_spec
      from ${given}),
      job_key_preserve_run_at := ${known === "keepsTime"})`,
  );
}

/** Each further one means that a worker took such a job at that moment. */
const triesMax = 10;

/**
 * Runs a statement that adds jobs until it added all that were given. `add_jobs` writes nothing for a key whose job a
 * worker takes between its own two statements; asked again, it sees that job as one that runs.
 */
export async function addAll(on: Executor, statement: SQL): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    const [counts] = await on.execute<{ given: number; added: number }>(statement);
    if (counts === undefined || counts.added >= counts.given) return;
  }
  throw new Error(`The queue did not take all jobs in ${triesMax} tries`);
}
