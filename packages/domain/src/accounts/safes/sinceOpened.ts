import type { Context } from "../../core/context.ts";
import { findCloseBlockSince } from "../../chain/guards/findBlockSince.ts";

/** Blocks in which a Safe may have been used. */
export interface Span {
  /** The last one; without it the newest block. */
  upTo?: bigint;
  /** The blocks up to this one were read before; without it they begin when the Safe was opened. */
  after?: bigint;
}

/** The first and the last block of a span. @throws ChainUnavailable */
export async function findBlocks(
  ctx: Pick<Context, "chain">,
  openedAt: Date,
  { upTo, after }: Span,
): Promise<{ fromBlock: bigint; toBlock: bigint }> {
  if (after !== undefined) return { fromBlock: after + 1n, toBlock: upTo ?? (await ctx.chain.getBlock()).number };
  const { fromBlock, head } = await findCloseBlockSince(ctx, openedAt);
  return { fromBlock, toBlock: upTo ?? head.number };
}
