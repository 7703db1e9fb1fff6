/**
 * The last statements of a commit, in the order of locks of packages/db/README.md: the blocks that its rows rest on, then its
 * jobs. Both are what commits of any kind share, so no commit waits for another while it holds one of them.
 */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Tx } from "@cardkeep/db/client";
import { insertSeenBlocks } from "@cardkeep/db/queries/chain/blocks";

/** The chain reorganised after it was read, so the work has to begin again. */
export class ChainReorganised extends ChainUnavailable {
  override readonly name = "ChainReorganised";
}

/** The blocks that the rows of a commit rest on, and the oldest that is still needed where that is known. */
export interface Rests {
  readonly blocks: Map<bigint, Hex>;
  oldest: bigint | null;
}

/** @throws ChainReorganised when another block was seen in the place of one: the next look finds out which was removed */
export async function endCommit(
  tx: Tx,
  { blocks, oldest }: Rests,
  writeJobs: () => Promise<boolean>,
): Promise<boolean> {
  const rows = [...blocks].map(([blockNumber, blockHash]) => ({ blockNumber, blockHash }));
  if (rows.length > 0 && !(await insertSeenBlocks(tx, rows, oldest)))
    throw new ChainReorganised("Another block was seen in this one's place");
  return writeJobs();
}
