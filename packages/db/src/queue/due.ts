/** When the queue's next job is due. */
import { sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { jobsTable } from "./tables.ts";

/** Milliseconds until the next job is due, 0 if one is due, and at most `withinMs`. */
export async function readNextDueMs(on: Executor, withinMs: number): Promise<number> {
  const [row] = await on.execute<{ ms: number | null }>(sql`
    select ceil(extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as ms from ${jobsTable}
    where is_available order by run_at limit 1`);
  return row === undefined || row.ms === null ? withinMs : Math.min(withinMs, Math.max(0, row.ms));
}
