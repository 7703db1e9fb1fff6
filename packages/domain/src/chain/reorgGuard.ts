import { ChainUnavailable } from "@cardkeep/chain/errors";
import {
  countReorganisations,
  holdReorganisations,
  insertSeenBlock,
  insertSeenBlocks,
  type SeenBlock,
} from "@cardkeep/db/queries/chain/blocks";
import type { Commit, CommitContext, Context, Work } from "../context.ts";

/** The chain reorganised after it was read, so the work has to begin again. */
class ChainReorganised extends ChainUnavailable {
  override readonly name = "ChainReorganised";
}

/**
 * The context of a job that judges by the chain: once a reorganisation is noted it commits nothing that it read before.
 *
 * Without this, a job under way would write what it read before the rollback, and its rows would stay.
 */
export async function guardByChain<C extends CommitContext>(ctx: C): Promise<C> {
  const guard = await beginChainGuard(ctx);
  return { ...ctx, commit: (write) => ctx.commit(guard(write)) };
}

/** Answers what guards a commit: it refuses to write once a reorganisation is noted after this call. */
export async function beginChainGuard({ db, rules }: Context): Promise<<T>(write: Commit<T>) => Commit<T>> {
  const begun = await countReorganisations(db, rules.chainId);
  return (write) => async (work) => {
    if ((await holdReorganisations(work.tx, rules.chainId)) !== begun)
      throw new ChainReorganised("The chain reorganised");
    return write(work);
  };
}

/**
 * Records the block that the rows of a commit rest on, so that a reorganisation that removes it rolls them back.
 *
 * @throws ChainReorganised when another block was seen in its place
 */
export async function restOn({ tx }: Work, block: SeenBlock): Promise<void> {
  if (!(await insertSeenBlock(tx, block))) throw new ChainReorganised("Another block was seen in this one's place");
}

/**
 * Records the blocks of a look at the chain, and forgets those before `oldest`.
 *
 * @throws ChainReorganised when another block was seen in the place of one: the next look finds out which was removed
 */
export async function restOnAll({ tx }: Work, blocks: readonly SeenBlock[], oldest: bigint): Promise<void> {
  if (!(await insertSeenBlocks(tx, blocks, oldest))) throw new ChainReorganised("Another block was seen before");
}
