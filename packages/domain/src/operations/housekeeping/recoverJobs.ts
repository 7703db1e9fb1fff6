import { freeIdleQueues, recoverDeadPools } from "@cardkeep/db/queue/liveness";
import { deleteSuperseded } from "@cardkeep/db/queue/reschedule";
import { addMissingJobs as insertMissingJobs } from "@cardkeep/db/queue/missing";
import type { Context } from "../../core/context.ts";

/** Frees the jobs of workers that died, so that living workers run them at once; deletes failed jobs that were replaced. */
export async function recoverJobs({ db, log }: Pick<Context, "db" | "log">): Promise<void> {
  const pools = await recoverDeadPools(db);
  if (pools.length > 0) log.warn({ pools }, "freed the jobs of dead workers");
  const queues = await freeIdleQueues(db);
  if (queues > 0) log.warn({ queues }, "freed queues that no job held");
  await deleteSuperseded(db);
}

/** Adds the job of every open row that has none. */
export async function addMissingJobs({
  db,
  clock,
  log,
  policy,
}: Pick<Context, "db" | "clock" | "log" | "policy">): Promise<void> {
  const missing = await insertMissingJobs(db, { chainId: policy.chainId, now: await clock.now(db) });
  if (missing > 0) log.info({ missing }, "added jobs that open work lacked");
}
