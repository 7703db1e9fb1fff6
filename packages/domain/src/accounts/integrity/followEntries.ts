import type { LogBlocks } from "@cardkeep/chain/port";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { setCheckedBlock } from "@cardkeep/db/queries/accounts/integrity";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { readEntries, recordEntries } from "./readEntries.ts";

/** Nodes refuse questions about more blocks at once. */
const blocksMax = 1_000n;

/** The last block of the next check. */
export const findCheckEnd = ({ checked, head }: { checked: bigint; head: bigint }): bigint =>
  head - checked > blocksMax ? checked + blocksMax : head;

/** The block that the last check ended with, and the head that was read. */
export interface CheckRange {
  checked: bigint;
  head: { number: bigint; hash: Hex };
}

/** The blocks of the next check. Where they end with the head, only a node with that very block answers. */
export function findCheckBlocks({ checked, head }: CheckRange): LogBlocks {
  const toBlock = findCheckEnd({ checked, head: head.number });
  return { fromBlock: checked + 1n, toBlock, ...(toBlock === head.number && { toHash: head.hash }) };
}

/**
 * Reads the queue entries of every Safe in the blocks since the last check, and returns the writes.
 *
 * The first check begins with our first transaction, so the history of every account is checked once, a range at a time.
 */
export async function followEntries(ctx: WorkerContext, range: CheckRange): Promise<WriteStep> {
  const { chainId } = ctx.policy;
  if (range.checked >= range.head.number) return writeNothing;
  const blocks = findCheckBlocks(range);
  const found = await readEntries(ctx, { delay: null, ...blocks });
  return async (work) => {
    for (const entries of found) await recordEntries(ctx, work, entries);
    await setCheckedBlock(work.tx, chainId, blocks.toBlock);
  };
}
