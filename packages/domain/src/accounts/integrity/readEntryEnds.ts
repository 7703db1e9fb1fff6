import { assignFates, type Fate, fateTopics, isFateLog } from "@cardkeep/chain/fates";
import type { DelayState } from "@cardkeep/chain/accountState";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { findDeploymentBlock, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";
import { readTimestamps } from "../../chain/guards/findBlockSince.ts";

/** How an entry left the queue, and the newest block that shows it. */
export interface EntryEnd {
  isExecuted: boolean;
  block: SeenBlock;
}

/** Entries that may have left a queue, in its state at a block. */
export interface Left {
  queueNonces: readonly bigint[];
  state: Pick<DelayState, "txNonce">;
  /** The last block that is read. */
  head: Awaited<ReturnType<Context["chain"]["getBlock"]>>;
}

/**
 * How entries left a Safe's queue, by their queue nonces; those still in there are left out, and so are those that left in a
 * block that the asked node lacks. It reads the Safe's whole history once, so it is for violations alone.
 */
export async function readEntryEnds(
  ctx: Pick<Context, "chain" | "db">,
  safe: Safe,
  { queueNonces, state, head }: Left,
): Promise<Map<bigint, EntryEnd>> {
  const left = queueNonces.filter((queueNonce) => queueNonce < state.txNonce);
  if (left.length === 0) return new Map();
  const accounts = { safe: safe.address, delay: safe.delayAddress };
  const logs = await ctx.chain.getLogs({
    addresses: [safe.address, safe.delayAddress],
    topics: fateTopics,
    fromBlock: await findDeploymentBlock(ctx.db, safe.id),
    toBlock: head.number,
  });
  const history = logs.filter((log) => isFateLog(log, accounts));
  const timestamps = await readTimestamps(ctx, history);
  const fates = assignFates({ ...accounts, logs: history, txNonce: state.txNonce, timestamps, headAt: head.timestamp });
  const headBlock = { blockNumber: head.number, blockHash: head.hash };
  const toEnd = (fate: Fate): EntryEnd =>
    fate.kind === "executed" ? { isExecuted: true, block: fate } : { isExecuted: false, block: headBlock };
  return new Map(
    left.flatMap((queueNonce) => {
      const fate = fates.get(queueNonce);
      return fate ? [[queueNonce, toEnd(fate)] as const] : [];
    }),
  );
}
