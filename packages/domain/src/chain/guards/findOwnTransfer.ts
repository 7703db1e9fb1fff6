import { buildTransferTopics, findReturnTag, hasTransfer } from "@cardkeep/chain/spending";
import { listTransfersOf } from "@cardkeep/chain/transfers";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import type { Context } from "../../core/context.ts";
import { findLoggedCall } from "./findLoggedCall.ts";

/** About six days of Gnosis Chain: further back a transfer is not looked for. */
const blocksMax = 100_000n;

/**
 * Where a tagged transfer of ours is on chain, with its amount; null if the searched blocks do not hold it.
 *
 * @param amount in base units; null for any
 * @throws ChainUnavailable while the node lacks the transaction of a log that may be it: to sign again would pay twice
 */
export async function findOwnTransfer(
  ctx: Pick<Context, "chain">,
  { token, from, to, amount, tag }: { token: Address; from: Address; to: Address; amount: bigint | null; tag: Hex },
): Promise<{ hash: Hex; block: SeenBlock; amount: bigint } | null> {
  const { number: toBlock } = await ctx.chain.getBlock();
  const logs = await ctx.chain.getLogs({
    addresses: [token],
    topics: buildTransferTopics({ from, to }),
    fromBlock: toBlock > blocksMax ? toBlock - blocksMax : 0n,
    toBlock,
  });
  for (const { log, amount: moved } of listTransfersOf(logs)) {
    if (!hasTransfer([log], { token, from, to, amount: amount ?? moved })) continue;
    const call = await findLoggedCall(ctx, log.transactionHash);
    if (call && findReturnTag(call.data) === tag) {
      const { transactionHash: hash, blockNumber, blockHash } = log;
      return { hash, block: { blockNumber, blockHash }, amount: moved };
    }
  }
  return null;
}
