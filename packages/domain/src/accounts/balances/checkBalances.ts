/** After a reorganisation, or a gap that is too long to list its transfers: every published balance is checked again. */
import { listPublishedSafes } from "@cardkeep/db/queries/accounts/safes";
import type { WorkerContext } from "../../core/context.ts";
import { enqueueBalanceChecks } from "./publishBalance.ts";

/** Safes of one commit. All in one would exceed the time of a statement, from some 100,000 on. */
const batchSize = 500;

/**
 * Enqueues `balance.publish` for all Safes with a published balance, in the order of their ids. Killed at any batch and run again it
 * starts from the first; so does the job of a newer reorganisation, which waits for this one.
 */
export async function checkBalances(ctx: WorkerContext): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined;) {
    if (ctx.stopping.aborted) throw new Error("The worker stops; the job is run again");
    const ids: string[] = await listPublishedSafes(ctx.db, after, batchSize);
    if (ids.length > 0) await ctx.commit((work) => enqueueBalanceChecks(work, { ids }));
    after = ids.at(-1);
  }
}
