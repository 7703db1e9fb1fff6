/** The queue's jobs as the operator sees them. */
import { fail } from "@cardkeep/contract/core/errors";
import { readDatabaseTime } from "@cardkeep/db/queries/operations/health";
import { findJob, type JobRow, listJobs as listRows } from "@cardkeep/db/queue/inspect";
import { lockChain } from "@cardkeep/db/queries/operators/actions";
import { rescheduleFailedJobs, rescheduleJob } from "@cardkeep/db/queue/reschedule";
import type { JobState } from "@cardkeep/db/queue/tables";
import type { OperatorContext } from "../context.ts";
import type { Services } from "../services.ts";

export type Job = JobRow;

/** A failed query names its parameters, which are people's data or signed bytes. */
const hideParameters = (error: string): string => error.replace(/\nparams: [\s\S]*$/, "\nparams: not shown");

/** By how much the service's clock is ahead of the queue's, which is the database's, in milliseconds. */
export const readClockLeadMs = async ({ db, clock }: Pick<Services, "db" | "clock">): Promise<number> =>
  (await clock.now(db)).getTime() - (await readDatabaseTime(db)).getTime();

/** An instant of the queue, which is the database's, by the service's clock. */
export const moveToServiceTime = (at: Date, clockLeadMs: number): Date => new Date(at.getTime() + clockLeadMs);

/** A job as it may be shown, its times by the service's clock as everything else. */
export function showJob(row: JobRow, clockLeadMs: number): Job {
  const move = (at: Date) => moveToServiceTime(at, clockLeadMs);
  return {
    ...row,
    runAt: move(row.runAt),
    createdAt: move(row.createdAt),
    updatedAt: move(row.updatedAt),
    lastError: row.lastError === null ? null : hideParameters(row.lastError),
  };
}

/**
 * Jobs in the order of their time, those that are most overdue first; `after` names the last row of the page before.
 */
export async function listJobs(
  ctx: Pick<Services, "db" | "clock">,
  { state = null, after = null, limit }: { state?: JobState | null | undefined; after?: string | null; limit: number },
): Promise<Job[]> {
  const [rows, leadMs] = await Promise.all([
    listRows(ctx.db, { state, after: parseJobId(after), limit }),
    readClockLeadMs(ctx),
  ]);
  return rows.map((row) => showJob(row, leadMs));
}

const parseJobId = (id: string | null): bigint | null => (id !== null && /^\d{1,18}$/.test(id) ? BigInt(id) : null);

/** One job. @throws jobs.not_found */
export async function getJob(ctx: Pick<Services, "db" | "clock">, { id }: { id: string }): Promise<Job> {
  const jobId = parseJobId(id);
  const row = (jobId === null ? null : await findJob(ctx.db, jobId)) ?? fail("jobs.not_found");
  return showJob(row, await readClockLeadMs(ctx));
}

/** Runs a waiting or failed job now, with all its attempts again. @throws jobs.not_found, jobs.running */
export async function retryJob(ctx: OperatorContext, { id }: { id: string }): Promise<Job> {
  const job = await getJob(ctx, { id });
  return ctx.act("jobs.retry", async ({ tx }) => {
    // Jobs are locked behind the end of the action log.
    await lockChain(tx);
    if (!(await rescheduleJob(tx, BigInt(job.id)))) fail("jobs.running");
    return {
      output: { ...job, state: "waiting", attempts: 0 },
      subject: { kind: "job", id: job.id },
      before: { task: job.task, state: job.state, attempts: job.attempts },
      after: { task: job.task, state: "waiting", attempts: 0 },
    };
  });
}

/** The number of jobs that run again at once, so that they do not overload the part that failed. */
const retriedMax = 1_000;

/** Runs failed jobs again, a thousand at most, and returns their number. */
export async function retryFailedJobs(ctx: OperatorContext): Promise<{ retried: number }> {
  return ctx.act("jobs.retry-failed", async ({ tx }) => {
    await lockChain(tx);
    const retried = await rescheduleFailedJobs(tx, retriedMax);
    return { output: { retried }, subject: { kind: "job", id: "failed" }, before: null, after: { retried } };
  });
}
