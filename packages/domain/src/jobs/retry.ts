import { fail } from "@cardkeep/contract/errors";
import { rescheduleFailedJobs, rescheduleJob } from "@cardkeep/db/queue/reschedule";
import type { OperatorContext } from "../context.ts";
import { getJob, type Job } from "./list.ts";

/** Has a job run now, with all its attempts before it again, given up or not. @throws jobs.not_found, jobs.running */
export async function retryJob(ctx: OperatorContext, { id }: { id: string }): Promise<Job> {
  const job = await getJob(ctx, { id });
  if (!(await ctx.commit(({ tx }) => rescheduleJob(tx, BigInt(job.id))))) fail("jobs.running");
  return { ...job, state: "waiting", attempts: 0 };
}

/** So many are taken up again at once, so that they do not all fall on what had failed them. */
const retriedMax = 1_000;

/** Has the jobs that were given up run now, a thousand at most; answers how many. */
export async function retryFailedJobs(ctx: OperatorContext): Promise<{ retried: number }> {
  return { retried: await ctx.commit(({ tx }) => rescheduleFailedJobs(tx, retriedMax)) };
}
