import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { WorkerContext } from "../../core/context.ts";
import { findMissingThreads, settleMissingThreads } from "../../spending/payments/missingThreads.ts";

/** Has each use of a card settled that the issuer has and no payment stands for. */
export async function reconcileThreads(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  const missing = await findMissingThreads(ctx, await findSince(ctx, reconciliation));
  await ctx.commit((work) => settleMissingThreads(ctx, work, missing));
}

/** The time of the first block that may have lost rows; null where no block is known. @throws ChainUnavailable */
export async function findSince(
  { chain }: Pick<WorkerContext, "chain">,
  { fromBlock }: Pick<Reconciliation, "fromBlock">,
): Promise<Date | null> {
  if (fromBlock === null) return null;
  const block = await chain.getBlockAt(fromBlock);
  if (!block) throw new ChainUnavailable("The node lacks the first block that may have lost rows");
  return new Date(block.timestamp * 1000);
}
