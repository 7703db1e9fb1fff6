import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { findNewestDispute, listUnknownDisputes } from "@cardkeep/db/queries/spending/disputes";
import type { WorkerContext } from "../../core/context.ts";

/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * hourMs;
/** Without any dispute here: so far back one may still be disputed. */
const firstMs = 120 * dayMs;

/**
 * Disputes at the issuer without a row: made there, or lost with a database. It looks back to the newest one here, or to
 * `since` if that is earlier: one after a restore hides those before it.
 */
export async function findMissingDisputes(ctx: WorkerContext, since: Date | null): Promise<string[]> {
  const newest = await findNewestDispute(ctx.db);
  const newestMs = newest?.createdAt.getTime() ?? (await ctx.clock.now(ctx.db)).getTime() - firstMs;
  const startMs = Math.min(newestMs, since?.getTime() ?? newestMs);
  const ids = await ctx.issuer.listDisputeIds(new Date(startMs - overlapMs));
  return listUnknownDisputes(ctx.db, ids);
}
