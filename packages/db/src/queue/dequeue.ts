import { sql } from "drizzle-orm";
import type { Tx } from "../client.ts";
import { jobKeyOf, type Task } from "./catalogue.ts";
import { jobsTable } from "./tables.ts";

/** Removes the waiting job of a subject, because its work is done. One that runs already ends by itself. */
export async function dequeue(tx: Tx, task: Task, subjectId: string): Promise<void> {
  await tx.execute(sql`delete from ${jobsTable} where key = ${jobKeyOf(task, subjectId)} and locked_at is null`);
}
