import { ChainUnavailable } from "@cardkeep/chain/errors";
import { type ChainLog, logBlocksMax } from "@cardkeep/chain/log";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { chainSearchSkewMs } from "../../core/clockSkew.ts";
import type { Context } from "../../core/context.ts";

/**
 * A block before anything that came about since an instant, by our clock or in unix seconds of the chain, and the head.
 *
 * No block is less than a second younger than its parent, so that nothing has to be looked for: logs are asked for from
 * here on instead of a Safe's whole history.
 */
export async function findBlockSince(
  { chain }: Pick<Context, "chain">,
  since: Date | number,
): Promise<{ fromBlock: bigint; head: { number: bigint; timestamp: number } }> {
  const head = await chain.getBlock();
  const seconds = typeof since === "number" ? since : (since.getTime() - chainSearchSkewMs) / 1000;
  const blocks = BigInt(Math.max(0, Math.ceil(head.timestamp - seconds)));
  return { fromBlock: head.number > blocks ? head.number - blocks : 0n, head };
}

/**
 * The same, and so close to the instant that logs from there on are few questions, also after years: a block takes several
 * seconds on most chains.
 *
 * @throws ChainUnavailable, also where the node lacks a block in between
 */
export async function findCloseBlockSince(
  ctx: Pick<Context, "chain">,
  since: Date,
): Promise<Awaited<ReturnType<typeof findBlockSince>>> {
  const { fromBlock, head } = await findBlockSince(ctx, since);
  const seconds = (since.getTime() - chainSearchSkewMs) / 1000;
  let [before, after] = [fromBlock, head.number];
  while (after - before > logBlocksMax) {
    const middle = (before + after) / 2n;
    const block = await ctx.chain.getBlockAt(middle);
    if (!block) throw new ChainUnavailable(`The node lacks block ${middle}`);
    if (block.timestamp < seconds) before = middle;
    else after = middle;
  }
  return { fromBlock: before, head };
}

/** The time of a block; null while that is not final: on the chain, with as many blocks as the operator asks for. */
export async function findFinalInstant(ctx: Context, seen: SeenBlock): Promise<Date | null> {
  const { number } = await ctx.chain.getBlock();
  const block = await ctx.chain.getBlockAt(seen.blockNumber);
  const isFinal = block?.hash === seen.blockHash && number - seen.blockNumber + 1n >= BigInt(ctx.policy.confirmations);
  return isFinal ? new Date(block.timestamp * 1000) : null;
}

/** The owner of an account chooses in how many blocks its logs are: more questions at once would hold up those of others. */
const blocksAtOnce = 32;

/** Unix seconds of the blocks that some logs are in. */
export async function readTimestamps(
  ctx: Pick<Context, "chain">,
  logs: readonly Pick<ChainLog, "blockNumber">[],
): Promise<Map<bigint, number>> {
  const numbers = [...new Set(logs.map((log) => log.blockNumber))];
  const timestamps = new Map<bigint, number>();
  for (let start = 0; start < numbers.length; start += blocksAtOnce) {
    const part = numbers.slice(start, start + blocksAtOnce);
    for (const block of await Promise.all(part.map((number) => ctx.chain.getBlockAt(number))))
      if (block) timestamps.set(block.number, block.timestamp);
  }
  return timestamps;
}
