/**
 * Mined transactions of a sender, which no lane falls behind.
 *
 * A balancer may send one request to another network or to a fork. A lane that followed such an answer would be ahead for
 * good, and wait until every nonce between is filled. So a count that moves a lane is asked of a node that has the newest
 * block that was followed.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import { findNextNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import type { Context } from "../../core/context.ts";

type ChainContext = Pick<Context, "chain" | "db" | "policy">;

/** The count that a lane may be brought to: where it is ahead of the lane, on the followed chain. @throws ChainUnavailable */
export async function countMined(ctx: ChainContext, sender: Address): Promise<bigint> {
  const count = BigInt(await ctx.chain.getTransactionCount(sender, "latest"));
  return count > (await findNextNonce(ctx.db, sender)) ? countOnChain(ctx, sender) : count;
}

/**
 * The count of a node that has the newest followed block. Before the first such block there is nothing to compare with, and
 * each node's answer counts.
 *
 * @throws ChainUnavailable where the node lacks that block, or has another one of its number
 */
export async function countOnChain({ chain, db, policy }: ChainContext, sender: Address): Promise<bigint> {
  const { newest } = await readFollowState(db, policy.chainId);
  return BigInt(
    newest === null
      ? await chain.getTransactionCount(sender, "latest")
      : await chain.getTransactionCountOn(newest, sender),
  );
}
