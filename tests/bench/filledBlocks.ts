/** How full the blocks of a measurement are. */
import type { openNode } from "../support/node.ts";

type Client = ReturnType<typeof openNode>["client"];

/**
 * The gas that the blocks after `after` used, and the percent of its limit that each used, from the first to the last block
 * with a transaction.
 */
export async function readFilledBlocks(client: Client, after: bigint): Promise<{ gas: bigint; percents: number[] }> {
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const numbers = Array.from({ length: Number(head - after) }, (_, index) => after + 1n + BigInt(index));
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
  const gas = blocks.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  const percents = blocks.map(({ gasUsed, gasLimit }) => Number((gasUsed * 100n) / gasLimit));
  const isUsed = (percent: number) => percent > 0;
  return { gas, percents: percents.slice(percents.findIndex(isUsed), percents.findLastIndex(isUsed) + 1) };
}
