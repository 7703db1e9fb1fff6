import type { Executor } from "@cardkeep/db/client";
import { sql } from "drizzle-orm";

/** Statements of this database that wait for a lock. */
export async function countLockWaits(on: Executor): Promise<number> {
  const [waiting] = await on.execute<{ count: number }>(
    sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting?.count ?? 0;
}
