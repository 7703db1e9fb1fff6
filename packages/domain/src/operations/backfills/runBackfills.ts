import { listBackfills, recordFailure, runBatch } from "@cardkeep/db/queries/operations/backfills";
import { runEach, type ChoreContext } from "../housekeeping/runEach.ts";

/** Rows of a batch: its transaction takes some tens of milliseconds, and so do those who wait for its rows. */
const batchSize = 1_000;

/** A turn ends after this time, so that a worker that stops is not held up. */
const turnMsMax = 5_000;

/**
 * Runs batches of the backfills that migrations left. After each one it pauses for as long as the batch took, so that the database
 * has half of the time for the service alone.
 */
export async function runBackfills(ctx: Pick<ChoreContext, "db" | "stopping">): Promise<void> {
  const endMs = performance.now() + turnMsMax;
  const open = (await listBackfills(ctx.db)).filter(({ endedAt, isPaused }) => endedAt === null && !isPaused);
  await runEach(ctx, {
    items: open,
    name: ({ name }) => name,
    run: async ({ name }) => {
      while (!ctx.stopping.aborted && performance.now() < endMs) {
        const startMs = performance.now();
        const batch = await runBatch(ctx.db, name, batchSize).catch(async (error: unknown) => {
          await recordFailure(ctx.db, name, error instanceof Error ? String(error.cause ?? error.message) : "unknown");
          throw error;
        });
        if (batch === null || batch.endedAt !== null) return;
        await Bun.sleep(performance.now() - startMs);
      }
    },
  });
}
