import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { findNewestDispute, listUnknownDisputes } from "@cardkeep/db/queries/spending/disputes";
import type { WorkerContext } from "../../core/context.ts";

/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * hourMs;
/** Without any dispute here: so far back one may still be disputed. */
const firstMs = 120 * dayMs;

/** Disputes at the issuer without a row since the newest one here: made there, or lost with a database. */
export async function findMissingDisputes(ctx: WorkerContext): Promise<string[]> {
  const newest = await findNewestDispute(ctx.db);
  const since = newest?.createdAt.getTime() ?? (await ctx.clock.now(ctx.db)).getTime() - firstMs;
  const ids = await ctx.issuer.listDisputeIds(new Date(since - overlapMs));
  return listUnknownDisputes(ctx.db, ids);
}
