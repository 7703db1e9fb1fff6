/** The queue's jobs as the operator sees them. */
import { fail } from "@cardkeep/contract/errors";
import { findJob, type JobRow, listJobs as listRows } from "@cardkeep/db/queue/inspect";
import type { JobState } from "@cardkeep/db/queue/tables";
import type { Services } from "../services.ts";

export type Job = JobRow;

/** A failed query names its parameters, which are people's data or signed bytes. */
const hideParameters = (error: string): string => error.replace(/\nparams: [\s\S]*$/, "\nparams: not shown");

/** A job as it may be shown. */
export const showJob = (row: JobRow): Job => ({
  ...row,
  lastError: row.lastError === null ? null : hideParameters(row.lastError),
});

/**
 * Jobs in the order of their time, those that should have run longest ago first; `after` names the last one that is known
 * already.
 */
export async function listJobs(
  { db }: Pick<Services, "db">,
  { state = null, after = null, limit }: { state?: JobState | null | undefined; after?: string | null; limit: number },
): Promise<Job[]> {
  return (await listRows(db, { state, after: parseJobId(after), limit })).map(showJob);
}

const parseJobId = (id: string | null): bigint | null => (id !== null && /^\d{1,18}$/.test(id) ? BigInt(id) : null);

/** One job. @throws jobs.not_found */
export async function getJob({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<Job> {
  const jobId = parseJobId(id);
  return showJob((jobId === null ? null : await findJob(db, jobId)) ?? fail("jobs.not_found"));
}
