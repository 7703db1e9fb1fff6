import type { ChainReceipt } from "@cardkeep/chain/log";
import type { Context } from "../context.ts";

/** The time of a receipt's block; null while that is not final: on the chain, with as many blocks as the operator asks for. */
export async function findFinalInstant(ctx: Context, receipt: ChainReceipt): Promise<Date | null> {
  const { number } = await ctx.chain.getBlock();
  const block = await ctx.chain.getBlockAt(receipt.blockNumber);
  const isFinal =
    block?.hash === receipt.blockHash && number - receipt.blockNumber + 1n >= BigInt(ctx.rules.confirmations);
  return isFinal ? new Date(block.timestamp * 1000) : null;
}
