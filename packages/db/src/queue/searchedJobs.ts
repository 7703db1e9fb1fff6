import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type SQL, sql } from "drizzle-orm";
import type { Clue, SearchKind } from "../searchRows.ts";
import { catalogue, jobKeyOf } from "./catalogue.ts";
import { jobState } from "./inspect.ts";
import { jobsTable, tasksTable } from "./tables.ts";

const tasks = keysOf(catalogue);

/** The jobs that work on a row, and those of a request that failed at least once. */
function findJobIds(clue: Clue, limit: number): SQL | null {
  if (clue.by === "id") {
    const keys = tasks.map((task) => jobKeyOf(task, clue.text));
    return sql`select id from ${jobsTable} where key in (${sql.join(
      keys.map((key) => sql`${key}`),
      sql`, `,
    )})`;
  }
  if (clue.by !== "request") return null;
  return sql`select id from ${jobsTable}
    where payload ->> 'requestId' = ${clue.text} and last_error is not null limit ${limit}`;
}

export const searchedJobs: SearchKind = {
  findIds: findJobIds,
  columns: sql`jobs.id::text as id, identifier as title, split_part(last_error, E'\\n', 1) as detail, ${jobState} as status,
    null as "userId", created_at as "createdAt"`,
  from: sql`${jobsTable} jobs join ${tasksTable} tasks on tasks.id = task_id`,
  id: sql`jobs.id`,
};
