import type { Context } from "../context.ts";

/** Our clock and the chain's may differ by this much. */
const skewSeconds = 3_600;

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
  const seconds = typeof since === "number" ? since : since.getTime() / 1000 - skewSeconds;
  const blocks = BigInt(Math.max(0, Math.ceil(head.timestamp - seconds)));
  return { fromBlock: head.number > blocks ? head.number - blocks : 0n, head };
}
