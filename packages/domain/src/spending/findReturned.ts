import { findReturnTag, buildTransferTopics, hasTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import type { CurrencySafe } from "@cardkeep/db/queries/safes";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { WorkerContext } from "../context.ts";

/** About six days of Gnosis Chain: further back a return is not looked for. */
const blocksMax = 100_000n;

/** Where a return is on chain, found by its tag; null where it is not, as far back as anybody looks. */
export async function findReturned(
  ctx: WorkerContext,
  safe: CurrencySafe,
  { amount, salt }: CardTransfer,
): Promise<{ hash: Hex; block: SeenBlock } | null> {
  const { address: token } = tokens[safe.tokenSymbol];
  const { number: toBlock } = await ctx.chain.getBlock();
  const sides = { from: ctx.rules.settlementAddress, to: safe.address };
  const logs = await ctx.chain.getLogs({
    addresses: [token],
    topics: buildTransferTopics(sides),
    fromBlock: toBlock > blocksMax ? toBlock - blocksMax : 0n,
    toBlock,
  });
  for (const log of logs.filter((one) => hasTransfer([one], { token, amount, ...sides }))) {
    const data = await ctx.chain.findCalldata(log.transactionHash);
    if (data && findReturnTag(data) === salt) {
      return { hash: log.transactionHash, block: { blockNumber: log.blockNumber, blockHash: log.blockHash } };
    }
  }
  return null;
}
