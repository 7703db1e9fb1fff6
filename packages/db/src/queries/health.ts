/** Whether the database answers and is of this version. */
import { sql } from "drizzle-orm";
import type { Db } from "../client.ts";

/** Resolves when the database answers and our tables and the queue's are there; rejects otherwise. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.execute(sql`select 1 from users, graphile_worker.jobs limit 0`);
}
