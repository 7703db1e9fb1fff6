/** Finds uses of cards that the issuer has and this service does not. */
import { enqueue, enqueueAll } from "@cardkeep/db/queue/enqueue";
import { findNewestUse, listMissingThreads } from "@cardkeep/db/queries/spending/payments";
import type { WorkerContext } from "../context.ts";

const everyMs = 3_600_000;
/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * 3_600_000;

/**
 * Has each thread settled whose callbacks never came, or whose rows were lost with a database; runs again an hour later.
 *
 * It looks back to the newest use that is known here: in a restored database, to when it was saved.
 */
export async function compareThreads(ctx: WorkerContext): Promise<void> {
  const newest = await findNewestUse(ctx.db);
  const kept = newest === null ? [] : await ctx.issuer.listThreads(new Date(newest.getTime() - overlapMs));
  const missing = await listMissingThreads(ctx.db, kept);
  await ctx.commit(async ({ tx, requestId }) => {
    for (const threadId of missing) ctx.log.warn({ threadId }, "the issuer has a thread that is unknown here");
    await enqueueAll(
      tx,
      "card.settle",
      missing.map((threadId) => ({ payload: { threadId, requestId: `compare-${threadId}` } })),
    );
    await enqueue(tx, "card.compare", { chainId: String(ctx.rules.chainId), requestId }, everyMs);
  });
}
