import { hourMs, secondMs } from "@cardkeep/contract/core/durations";
import {
  deleteOldBatch,
  listTablesWithOldRows,
  retainedTables,
  type RetainedTableName,
} from "@cardkeep/db/queries/core/retention";
import { forgetRemovedSignInWallets } from "@cardkeep/db/queries/users/removedWallets";
import { removalsKeptMs } from "../../core/accessTokens/removedWallets.ts";
import { readEarlierTime } from "../../core/databaseTime.ts";
import { keptHours } from "../../core/privacy/keptHours.ts";
import type { Policy } from "../../core/policy.ts";
import type { Services } from "../../core/services.ts";
import { type ChoreContext, runEach } from "./runEach.ts";

/** Each statement deletes this many rows at most, so that no request waits for it for long. */
const batchMax = 5_000;
/** Batches of a table in one run. Later runs delete the rest of a backlog. */
const batchesMax = 20;

/**
 * Deletes rows that are older than the policy keeps them; several workers may do so at once.
 *
 * @throws Error after the last table, where any failed
 */
export async function deleteOldRows(
  ctx: Pick<ChoreContext, "db" | "clock" | "stopping"> & { readonly policy: Pick<Policy, "cooldownSeconds"> },
): Promise<void> {
  const now = await readEarlierTime(ctx);
  // A node may lag behind for a part of the cooldown: decisions ask it about each spend that ended since.
  const liveMs = Math.max(keptHours.live_transfers * hourMs, ctx.policy.cooldownSeconds * secondMs);
  const beforeOf = (name: RetainedTableName) =>
    new Date(now.getTime() - (name === "live_transfers" ? liveMs : keptHours[name] * hourMs));
  await runEach(ctx, {
    // Where a table cannot be read, each one is tried, so that its name is reported and the others are cleaned.
    items: await listTablesWithOldRows(ctx.db, beforeOf).catch(() => retainedTables),
    name: ({ name }) => name,
    run: async (table) => {
      const before = beforeOf(table.name);
      for (let batch = 0; batch < batchesMax && !ctx.stopping.aborted; batch++) {
        if ((await deleteOldBatch(ctx.db, table, { before, limit: batchMax })) < batchMax) return;
      }
    },
  });
}

/** Forgets removed sign-in wallets once no access token of theirs can be valid. */
export const forgetRemovedWallets = ({ db }: Pick<Services, "db">): Promise<void> =>
  forgetRemovedSignInWallets(db, removalsKeptMs);
