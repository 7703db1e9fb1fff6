import { fail } from "@cardkeep/contract/errors";
import { rescheduleJob } from "@cardkeep/db/queries/jobs";
import type { Services } from "../context.ts";
import { getJob, type Job } from "./list.ts";

/** Has a job run now, with all its attempts before it again, given up or not. @throws jobs.not_found, jobs.running */
export async function retryJob({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<Job> {
  const job = await getJob({ db }, { id });
  if (!(await db.transaction((tx) => rescheduleJob(tx, BigInt(job.id))))) fail("jobs.running");
  return { ...job, state: "waiting", attempts: 0 };
}
