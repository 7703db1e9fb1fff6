/** Replies that are given again to the same request. */
import { and, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { idempotencyKeys } from "../../schema/tables.ts";

export type StoredReply = typeof idempotencyKeys.$inferSelect;

export async function findStoredReply(on: Executor, scope: string, key: string): Promise<StoredReply | null> {
  const [row] = await on
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.scope, scope), eq(idempotencyKeys.key, key)))
    .limit(1);
  return row ?? null;
}

/** Locks a key until the transaction ends; false while another transaction holds it. */
export async function lockKey(tx: Tx, scope: string, key: string): Promise<boolean> {
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`idempotency:${scope}:${key}`}, 0)) as locked`,
  );
  return row?.locked === true;
}

/** Stores the first reply of a key; a later one changes nothing. */
export async function insertReply(on: Executor, row: typeof idempotencyKeys.$inferInsert): Promise<void> {
  await on.insert(idempotencyKeys).values(row).onConflictDoNothing();
}
