import { buildTransferTopics, findReturnTag, hasTransfer } from "@cardkeep/chain/spending";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import type { Context } from "../../core/context.ts";
import { findLoggedCall } from "./findLoggedCall.ts";

/** About six days of Gnosis Chain: further back a transfer is not looked for. */
const blocksMax = 100_000n;

/**
 * Where a tagged transfer of ours is on chain; null if the searched blocks do not hold it.
 *
 * @throws ChainUnavailable while the node lacks the transaction of a log that may be it: to sign again would pay twice
 */
export async function findOwnTransfer(
  ctx: Pick<Context, "chain">,
  { token, from, to, amount, tag }: { token: Address; from: Address; to: Address; amount: bigint; tag: Hex },
): Promise<{ hash: Hex; block: SeenBlock } | null> {
  const { number: toBlock } = await ctx.chain.getBlock();
  const logs = await ctx.chain.getLogs({
    addresses: [token],
    topics: buildTransferTopics({ from, to }),
    fromBlock: toBlock > blocksMax ? toBlock - blocksMax : 0n,
    toBlock,
  });
  for (const log of logs.filter((one) => hasTransfer([one], { token, amount, from, to }))) {
    const call = await findLoggedCall(ctx, log.transactionHash);
    if (call && findReturnTag(call.data) === tag)
      return { hash: log.transactionHash, block: { blockNumber: log.blockNumber, blockHash: log.blockHash } };
  }
  return null;
}
