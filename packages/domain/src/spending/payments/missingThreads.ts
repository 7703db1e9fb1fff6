/** Uses of cards that the issuer has and that no payment stands for: a callback was lost, or the row was. */
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import { insertDiscrepancies } from "@cardkeep/db/queries/sync/reconciliations";
import { findNewestUse, listMissingThreads } from "@cardkeep/db/queries/spending/payments";
import type { Work, WorkerContext } from "../../core/context.ts";

/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * 3_600_000;

/**
 * Threads at the issuer without their rows. It looks back to the newest use that is known here, or to `since` if that is
 * earlier: a use after a restore hides those before it.
 */
export async function findMissingThreads(ctx: WorkerContext, since: Date | null): Promise<string[]> {
  const newest = await findNewestUse(ctx.db);
  const starts = [newest, since].flatMap((at) => at?.getTime() ?? []);
  const kept = starts.length === 0 ? [] : await ctx.issuer.listThreads(new Date(Math.min(...starts) - overlapMs));
  return listMissingThreads(ctx.db, kept);
}

/** Adds the job of each thread without its rows, as its callback would. */
export async function settleMissingThreads(
  ctx: Pick<WorkerContext, "log">,
  { tx, now }: Work,
  missing: readonly string[],
): Promise<void> {
  for (const threadId of missing) ctx.log.warn({ threadId }, "the issuer has a thread that is unknown here");
  await insertDiscrepancies(
    tx,
    missing.map((name) => ({ kind: "thread", name, text: `The issuer has use ${name} of a card` })),
    now,
  );
  await enqueueAll(
    tx,
    "card.settle",
    missing.map((threadId) => ({ payload: { threadId, requestId: `compare-${threadId}` } })),
  );
}
