import { recoverDeadPools } from "@cardkeep/db/queue/liveness";
import type { Context } from "../context.ts";

/** Frees the jobs of workers that died, so that living workers run them at once. */
export async function recoverJobs({ db, log }: Pick<Context, "db" | "log">): Promise<void> {
  const pools = await recoverDeadPools(db);
  if (pools.length > 0) log.warn({ pools }, "freed the jobs of dead workers");
}
