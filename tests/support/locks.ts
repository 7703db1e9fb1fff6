import type { Executor } from "@cardkeep/db/client";
import { mayPauseInTransaction } from "@cardkeep/db/lostMachine";
import { sql } from "drizzle-orm";

/** Statements of this database that wait for a lock. */
export async function countLockWaits(on: Executor): Promise<number> {
  const [waiting] = await on.execute<{ count: number }>(
    sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting?.count ?? 0;
}

/** Locks a table until the transaction ends. The product ends a session that pauses for 15 s, as this one does on a slow machine. */
export async function lockTable(tx: Executor, table: string, mode = "access exclusive"): Promise<void> {
  await tx.execute(sql.raw(`set local ${mayPauseInTransaction}`));
  await tx.execute(sql.raw(`lock table ${table} in ${mode} mode`));
}
