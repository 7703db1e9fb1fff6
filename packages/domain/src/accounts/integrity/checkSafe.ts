import { countCheckedEntries, findNewestEntry } from "@cardkeep/db/queries/accounts/integrity";
import { findDeploymentBlock, findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { type Context, type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { readEntries, recordEntries, type SafeEntries } from "./readEntries.ts";

/** Checks the queue entries of one Safe that the follower of the chain was not shown. */
export async function checkSafe(ctx: WorkerContext, { safeId }: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, safeId);
  if (!safe) return;
  const found = await readUncheckedEntries(ctx, safe);
  await ctx.commit((work) => recordEntries(ctx, work, found));
}

/**
 * Builds the writes that check a Safe's queue entries up to an operation that ran. The card then works again at once, and does not wait
 * for the follower of the chain.
 */
export async function checkUpTo(ctx: Context, safe: Safe, queueNonce: bigint): Promise<WriteStep> {
  if ((await countCheckedEntries(ctx.db, safe.delayAddress)) > queueNonce) return writeNothing;
  const found = await readUncheckedEntries(ctx, safe);
  return (work) => recordEntries(ctx, work, found);
}

/** The entries of a Safe's queue on chain from its newest checked entry on. */
export async function readUncheckedEntries(ctx: Pick<Context, "chain" | "db">, safe: Safe): Promise<SafeEntries> {
  const newest = await findNewestEntry(ctx.db, safe.delayAddress);
  const [fromBlock, head] = await Promise.all([
    newest?.blockNumber ?? findDeploymentBlock(ctx.db, safe.id),
    ctx.chain.getBlock(),
  ]);
  const [found] = await readEntries(ctx, { delay: safe.delayAddress, fromBlock, toBlock: head.number });
  return found ?? { safe, entries: [] };
}
