/** Backfills: changes of many rows that belong to a migration. */
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Db, Executor, Tx } from "../../client.ts";
import { backfills } from "../../schema/tables.ts";

export type Backfill = typeof backfills.$inferSelect;

/** All of them, in the order in which they run. */
export const listBackfills = (on: Executor): Promise<Backfill[]> =>
  on.select().from(backfills).orderBy(asc(backfills.createdAt), asc(backfills.name));

/** Pauses or resumes one that has not ended; null where there is none. */
export async function setPaused(tx: Tx, name: string, isPaused: boolean): Promise<Backfill | null> {
  const isOpen = and(eq(backfills.name, name), isNull(backfills.endedAt));
  const [row] = await tx
    .update(backfills)
    .set({ isPaused, updatedAt: sql`now()` })
    .where(isOpen)
    .returning();
  return row ?? null;
}

/** How long a batch waits for the lock of a row. */
const lockTimeout = "2s";

/**
 * Runs one batch of a backfill; null where it has ended, is paused, or runs in another worker.
 *
 * Its function takes the last key of the batch before and a number of rows. It answers the last key of this batch, null at the end,
 * and how many rows it read.
 */
export async function runBatch(db: Db, name: string, size: number): Promise<Backfill | null> {
  return db.transaction(async (tx) => {
    const isReady = and(eq(backfills.name, name), isNull(backfills.endedAt), eq(backfills.isPaused, false));
    const [row] = await tx.select().from(backfills).where(isReady).for("update", { skipLocked: true });
    if (!row) return null;
    await tx.execute(sql`select set_config('lock_timeout', ${lockTimeout}, true)`);
    // The check on the name lets nothing through but the letters of an identifier.
    const [batch] = await tx.execute<{ last: string | null; rows: string }>(
      sql`select last, rows from ${sql.identifier(name)}(${row.last}::text, ${size}::int)`,
    );
    const last = batch?.last ?? null;
    const change = { last, rows: row.rows + BigInt(batch?.rows ?? 0), failure: null, updatedAt: sql`now()` };
    const [written] = await tx
      .update(backfills)
      .set({ ...change, endedAt: last === null ? sql`now()` : null })
      .where(eq(backfills.name, name))
      .returning();
    return written ?? null;
  });
}

export async function recordFailure(db: Db, name: string, failure: string): Promise<void> {
  await db
    .update(backfills)
    .set({ failure, updatedAt: sql`now()` })
    .where(eq(backfills.name, name));
}
