/** Brings every job that waits `seconds` nearer, and has workers look for those that are due now. */
import { sql } from "drizzle-orm";
import type { Tx } from "../client.ts";
import { wakeWorkers } from "./enqueue.ts";
import { jobsTable } from "./tables.ts";

/** Moves the queue's time ahead together with the service's: a job that runs keeps its time. */
export async function advanceJobs(tx: Tx, seconds: number): Promise<void> {
  await tx.execute(sql`
    update ${jobsTable} set run_at = run_at - ${seconds} * interval '1 second' where locked_at is null`);
  await wakeWorkers(tx, 1);
}
