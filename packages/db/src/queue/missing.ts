/** Open rows without a job: jobs that an operator deleted, and rows that begin to need one by the time alone. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type SQL, sql } from "drizzle-orm";
import type { Db, Executor } from "../client.ts";
import { catalogue, queueNameIn, type Task } from "./catalogue.ts";
import { jobKeyIn } from "./jobKeyIn.ts";
import { type OpenRowsInput, relayedSubjects } from "./openRows.ts";
import { userMessages } from "../schema/tables.ts";
import { jobsTable } from "./tables.ts";

/** Adds the missing job of every open row of the catalogue; answers how many were missing. */
export async function addMissingJobs(db: Db, input: OpenRowsInput): Promise<number> {
  const openWork = keysOf(catalogue).flatMap((task) => selectOpenWork(task, input) ?? []);
  const key = jobKeyIn(sql`task`, sql`subject`);
  // Asked for the job of its key, Postgres looks it up; asked whether none exists, it may read all of a long queue.
  const added = await db.execute(sql`
    with ${relayedSubjects},
      open_work(task, subject, payload, queue, attempts_max) as (${sql.join(openWork, sql` union all `)})
    select graphile_worker.add_job(task, payload := payload, run_at := now(), max_attempts := attempts_max,
      job_key := ${key}, queue_name := queue)
    from open_work where (select true from ${jobsTable} j where j.key = ${key}) is null`);
  return added.length;
}

/** Adds the job of each user with a waiting message who has none: a job that waits out its pause keeps its time. */
export async function addIdleMessageJobs(db: Executor): Promise<void> {
  const task = "user.messages";
  const key = jobKeyIn(sql`${task}::text`, sql`user_id`);
  // Before the limit: users whose jobs wait, as while a gateway is away, leave the others their places.
  await db.execute(sql`
    select graphile_worker.add_job(${task}, payload := json_build_object('userId', user_id, 'requestId', request_id),
      max_attempts := ${catalogue[task].attemptsMax}, job_key := ${key})
    from (select ${userMessages.userId} as user_id, min(${userMessages.requestId}) as request_id from ${userMessages}
      group by ${userMessages.userId} having (select true from ${jobsTable} j where j.key = ${key}) is null
      limit 500) idle`);
}

/** The jobs that the open rows of a task need; null where the catalogue has no open rows of it. */
function selectOpenWork(task: Task, input: OpenRowsInput): SQL | null {
  const { subject: field, attemptsMax, openRows } = catalogue[task];
  if (openRows === null) return null;
  return sql`
    select ${task}::text, subject, json_build_object(${field}::text, subject, 'requestId', request_id),
      ${queueNameIn(task, sql`subject`)}, ${attemptsMax}::int
    from (${openRows(input)}) as open_row(subject, request_id)`;
}
