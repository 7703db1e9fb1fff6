import { countReorganisations, holdReorganisations, type SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { ChainReorganised } from "../../core/commitEnd.ts";
import type { Commit, CommitContext, Context, Work } from "../../core/context.ts";

/**
 * The context of a job that judges by the chain: once a reorganisation is noted it commits nothing that it read before.
 *
 * Without this, a job under way would write what it read before the rollback, and its rows would stay.
 */
export async function guardByChain<C extends CommitContext>(ctx: C): Promise<C> {
  const guard = await beginChainGuard(ctx);
  return { ...ctx, commit: (write) => ctx.commit(guard(write)) };
}

/**
 * Answers what guards a commit: it refuses to write once a reorganisation is noted after this call. A commit that notes one itself is
 * alone with the chain's row.
 */
export async function beginChainGuard({
  db,
  policy: { chainId },
}: Context): Promise<<T>(write: Commit<T>, isAlone?: boolean) => Commit<T>> {
  const begun = await countReorganisations(db, chainId);
  return (write, isAlone = false) =>
    async (work) => {
      if ((await holdReorganisations(work.tx, { chainId, isAlone })) !== begun)
        throw new ChainReorganised("The chain reorganised");
      return write(work);
    };
}

/**
 * Records the block that the rows of a commit rest on, so that a reorganisation that removes it rolls them back. It is written
 * at the end of the commit, which throws ChainReorganised where another block was seen in its place.
 */
export const restOn = (work: Work, block: SeenBlock): void => record(work, block, false);

/** Blocks that looks remember: deeper reorganisations than half of it do not happen on any chain that is in order. */
export const rememberedBlocks = 128n;

/** Records the blocks of a look at the head in the same way, as followed ones, and forgets those before `oldest`. */
export function restOnAll(work: Work, blocks: readonly SeenBlock[], oldest: bigint): void {
  for (const block of blocks) record(work, block, true);
  work.rests.oldest = oldest;
}

function record({ rests }: Work, { blockNumber, blockHash }: SeenBlock, isFollowed: boolean): void {
  const other = rests.blocks.get(blockNumber);
  if (other !== undefined && other.blockHash !== blockHash)
    throw new ChainReorganised("Another block was seen in this one's place");
  rests.blocks.set(blockNumber, { blockNumber, blockHash, isFollowed: isFollowed || other?.isFollowed === true });
}
