import type { ChainReceipt } from "@cardkeep/chain/log";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Context } from "../../core/context.ts";

/**
 * Whether a transaction that was mined is on chain no more: a node that has a block at its place has no receipt of it, or
 * one that does not show what it is to prove.
 *
 * A count, a nonce or a queue that is behind our rows proves nothing by itself: the node that answered may lag.
 * @throws ChainUnavailable where the node of the receipt lacks that block
 */
export async function isRemoved(
  { chain }: Pick<Context, "chain">,
  { hash, blockNumber }: { hash: Hex; blockNumber: bigint },
  proves: (receipt: ChainReceipt) => boolean = () => true,
): Promise<boolean> {
  if ((await chain.getBlockAt(blockNumber)) === null) return false;
  const receipt = await chain.findReceipt(hash, blockNumber);
  return receipt === null || !proves(receipt);
}
