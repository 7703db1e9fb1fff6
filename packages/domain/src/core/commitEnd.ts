/**
 * The last statements of a commit, in the order of locks of packages/db/README.md: the blocks that its rows rest on, then its
 * jobs. Both are what commits of any kind share, so no commit waits for another while it holds one of them.
 */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Tx } from "@cardkeep/db/client";
import { insertSeenBlocks, type NewSeenBlock } from "@cardkeep/db/queries/chain/blocks";

/** The chain reorganised after it was read, so the work has to begin again. */
export class ChainReorganised extends ChainUnavailable {
  override readonly name = "ChainReorganised";
}

/** The blocks that the rows of a commit rest on, by number, and the oldest that is still needed where that is known. */
export interface Rests {
  readonly blocks: Map<bigint, NewSeenBlock>;
  oldest: bigint | null;
}

/** @throws ChainReorganised when another block was seen in the place of one: the next look finds out which was removed */
export async function endCommit(
  tx: Tx,
  { blocks, oldest }: Rests,
  writeJobs: () => Promise<boolean>,
): Promise<boolean> {
  if (blocks.size > 0 && !(await insertSeenBlocks(tx, [...blocks.values()], oldest)))
    throw new ChainReorganised("Another block was seen in this one's place");
  return writeJobs();
}
