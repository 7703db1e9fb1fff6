import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { LRUCache } from "lru-cache";
import type { Context } from "../../core/context.ts";
import { rememberedBlocks } from "../../chain/guards/reorgGuard.ts";
import { hasApprovedBefore } from "./approvedBefore.ts";
import { readSetUpHistory } from "./setUpHistory.ts";

const usedMs = 60_000;

/** Up to which block Safes were not used. */
const unusedUpTo = new LRUCache<string, bigint>({ max: 10_000 });
/** Safes that were used, for a minute: a reorganisation may undo it. */
const used = new LRUCache<string, true>({ max: 10_000, ttl: usedMs });

/**
 * Whether a Safe of the older way was used before its set-up.
 *
 * Its logs are read from its opening on once in a process. From then on a question costs as much as some minutes of blocks, however often
 * its user asks, and however long ago it was opened.
 *
 * @throws ChainUnavailable, also where the node lacks the Safe's creation and so perhaps more
 */
export async function wasUsedBefore(
  ctx: Pick<Context, "chain">,
  safe: Pick<Safe, "id" | "address" | "createdAt" | "setUpHash">,
): Promise<boolean> {
  if (used.has(safe.id)) return true;
  const { number: upTo } = await ctx.chain.getBlock();
  const after = unusedUpTo.get(safe.id);
  const span = { upTo, ...(after !== undefined && { after }) };
  // Its set-up would have its hash: one that ran before it was asked for is another transaction, too.
  const [{ own, other }, hasApproved] = await Promise.all([
    readSetUpHistory(ctx, safe, span),
    hasApprovedBefore(ctx, safe, span),
  ]);
  const isUsed = other !== null || hasApproved;
  if (isUsed) used.set(safe.id, true);
  else if (own === null && upTo - rememberedBlocks > (after ?? 0n)) unusedUpTo.set(safe.id, upTo - rememberedBlocks);
  return isUsed;
}
