import { addMissingJobs as insertMissingJobs } from "@cardkeep/db/queue/missing";
import type { Context } from "../context.ts";

/** Adds the job of every open row that has none. */
export async function addMissingJobs({
  db,
  clock,
  log,
  rules,
}: Pick<Context, "db" | "clock" | "log" | "rules">): Promise<void> {
  const missing = await insertMissingJobs(db, { chainId: rules.chainId, now: await clock.now(db) });
  if (missing > 0) log.warn({ missing }, "added jobs that open work had lost");
}
