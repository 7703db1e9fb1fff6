/** Questions about the source of funds, and what users answered. */
import { desc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { questionSets, sourceOfFunds } from "../../schema/tables.ts";

/** The questions of the newest set, as they were stored; null when there is none. */
export async function findQuestions(on: Executor): Promise<unknown> {
  const newest = [desc(questionSets.createdAt), desc(questionSets.id)];
  const [row] = await on
    .select()
    .from(questionSets)
    .orderBy(...newest)
    .limit(1);
  return row?.questions ?? null;
}

export async function insertQuestionSet(on: Executor, row: typeof questionSets.$inferInsert): Promise<void> {
  await on.insert(questionSets).values(row);
}

/** A user's last submission. */
export async function findSubmission(on: Executor, userId: string): Promise<typeof sourceOfFunds.$inferSelect | null> {
  const newest = [desc(sourceOfFunds.answeredAt), desc(sourceOfFunds.id)];
  const [row] = await on
    .select()
    .from(sourceOfFunds)
    .where(eq(sourceOfFunds.userId, userId))
    .orderBy(...newest)
    .limit(1);
  return row ?? null;
}

export async function insertSubmission(tx: Tx, row: typeof sourceOfFunds.$inferInsert): Promise<void> {
  await tx.insert(sourceOfFunds).values(row);
}
