import { buildTransferTopics, findReturnTag, hasTransfer } from "@cardkeep/chain/spending";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import type { Context } from "../../core/context.ts";

/** About six days of Gnosis Chain: further back a transfer is not looked for. */
const blocksMax = 100_000n;

/** Where a tagged transfer of ours is on chain; null if the searched blocks do not hold it. */
export async function findOwnTransfer(
  { chain }: Pick<Context, "chain">,
  { token, from, to, amount, tag }: { token: Address; from: Address; to: Address; amount: bigint; tag: Hex },
): Promise<{ hash: Hex; block: SeenBlock } | null> {
  const { number: toBlock } = await chain.getBlock();
  const logs = await chain.getLogs({
    addresses: [token],
    topics: buildTransferTopics({ from, to }),
    fromBlock: toBlock > blocksMax ? toBlock - blocksMax : 0n,
    toBlock,
  });
  for (const log of logs.filter((one) => hasTransfer([one], { token, amount, from, to }))) {
    const transaction = await chain.findTransaction(log.transactionHash);
    if (transaction && findReturnTag(transaction.data) === tag)
      return { hash: log.transactionHash, block: { blockNumber: log.blockNumber, blockHash: log.blockHash } };
  }
  return null;
}
