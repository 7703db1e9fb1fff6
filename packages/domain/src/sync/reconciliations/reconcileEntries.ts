import { listForeignHashes } from "@cardkeep/db/queries/chain/comparison";
import type { Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { findFirstRelayedBlock } from "@cardkeep/db/queries/chain/relay/transactions";
import { compareEntries } from "./compareEntries.ts";
import type { WorkerContext } from "../../core/context.ts";
import { restoreEntries } from "./restoreEntries.ts";

/**
 * Restores the rows of queue entries of ours since the reconciliation's first block. Entries that were taken for an owner's own are looked at again.
 */
export async function reconcileEntries(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  if (reconciliation.reason === "daily") return;
  const fromBlock = await findFromBlock(ctx, reconciliation);
  if (fromBlock === null) return;
  const { number: toBlock } = await ctx.chain.getBlock();
  await compareEntries(ctx, { fromBlock, toBlock });
  for (const hash of await listForeignHashes(ctx.db, fromBlock)) {
    const restore = await restoreEntries(ctx, hash);
    if (restore) await ctx.commit(restore);
  }
}

/** The first block that a reconciliation reads; null before the first transaction of ours. */
export const findFromBlock = async (
  { db }: Pick<WorkerContext, "db">,
  { fromBlock }: Pick<Reconciliation, "fromBlock">,
): Promise<bigint | null> => fromBlock ?? findFirstRelayedBlock(db);
