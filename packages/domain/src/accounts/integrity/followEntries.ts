import { setCheckedBlock } from "@cardkeep/db/queries/accounts/integrity";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { readEntries, recordEntries } from "./readEntries.ts";

/** Nodes refuse questions about more blocks at once. */
const blocksMax = 1_000n;

/** The last block of the next check. */
export const findCheckEnd = ({ checked, head }: { checked: bigint; head: bigint }): bigint =>
  head - checked > blocksMax ? checked + blocksMax : head;

/**
 * Reads the queue entries of every Safe in the blocks since the last check, and returns the writes.
 *
 * The first check begins with our first transaction, so the history of every account is checked once, a range at a time.
 */
export async function followEntries(
  ctx: WorkerContext,
  { checked, head }: { checked: bigint; head: bigint },
): Promise<WriteStep> {
  const { chainId } = ctx.policy;
  if (checked >= head) return writeNothing;
  const toBlock = findCheckEnd({ checked, head });
  const found = await readEntries(ctx, { delay: null, fromBlock: checked + 1n, toBlock });
  return async (work) => {
    for (const entries of found) await recordEntries(ctx, work, entries);
    await setCheckedBlock(work.tx, chainId, toBlock);
  };
}
