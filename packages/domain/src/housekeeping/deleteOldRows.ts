import { deleteOldBatch, retainedTables } from "@cardkeep/db/queries/retention";
import { keptHours } from "../privacy/policy.ts";
import type { ChoreContext } from "./context.ts";
import { runEach } from "./runEach.ts";

/** Each statement deletes this many rows at most, so that no request waits for it for long. */
const batchMax = 5_000;
/** Batches of a table in one run. Later runs delete the rest of a backlog. */
const batchesMax = 20;

/**
 * Deletes rows that are older than the policy keeps them; several workers may do so at once.
 *
 * @throws Error after the last table, where any failed
 */
export async function deleteOldRows(ctx: Pick<ChoreContext, "db" | "clock" | "stopping">): Promise<void> {
  const now = await ctx.clock.now(ctx.db);
  await runEach(ctx, {
    items: retainedTables,
    name: ({ name }) => name,
    run: async (table) => {
      const before = new Date(now.getTime() - keptHours[table.name] * 3_600_000);
      for (let batch = 0; batch < batchesMax && !ctx.stopping.aborted; batch++) {
        if ((await deleteOldBatch(ctx.db, table, { before, limit: batchMax })) < batchMax) return;
      }
    },
  });
}
