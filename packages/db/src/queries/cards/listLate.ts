import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Executor } from "../../client.ts";
import type { Task } from "../../queue/catalogue.ts";
import { hasLateJob } from "../../queue/inspect.ts";

/** Rows whose status the issuer is to take, and the task that has it taken. */
interface Behind {
  table: PgTable;
  id: PgColumn;
  issuerStatus: PgColumn;
  isBehind: SQL | undefined;
  task: Task;
}

/** No more are looked at: where more wait, the newest say it. */
const lookedAtMax = 1_000;

/** Rows whose status the issuer has not taken for so long: those first that may not spend, then the newest. */
export async function listLate<Status extends string>(
  on: Executor,
  { table, id, issuerStatus, isBehind, task }: Behind,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<{ id: string; issuerStatus: Status }[]> {
  // The inner order has Postgres read the index of what is behind, and not the table.
  const late = await on.execute<{ id: string; issuerStatus: Status }>(sql`
    select id, "issuerStatus" from (
      select ${id} as id, ${issuerStatus} as "issuerStatus" from ${table} where ${isBehind}
      order by ${id} desc limit ${lookedAtMax}) behind
    where ${hasLateJob(task, sql`behind.id`, seconds)}
    order by "issuerStatus" = 'active', id desc limit ${limit}`);
  return [...late];
}
