import type { ChainLog } from "@cardkeep/chain/log";
import type { Context } from "../context.ts";

/** Unix seconds of the blocks that some logs are in. */
export async function readTimestamps(
  ctx: Pick<Context, "chain">,
  logs: readonly Pick<ChainLog, "blockNumber">[],
): Promise<Map<bigint, number>> {
  const numbers = [...new Set(logs.map((log) => log.blockNumber))];
  const blocks = await Promise.all(numbers.map((number) => ctx.chain.getBlockAt(number)));
  return new Map(blocks.flatMap((block) => (block ? [[block.number, block.timestamp] as const] : [])));
}
