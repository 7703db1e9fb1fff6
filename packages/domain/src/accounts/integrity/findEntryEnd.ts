import { assignFates, fateTopics, isFateLog } from "@cardkeep/chain/fates";
import type { DelayState } from "@cardkeep/chain/port";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { findDeploymentBlock, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";
import { readTimestamps } from "../../chain/guards/findBlockSince.ts";

/** How an entry left the queue, and the newest block that shows it. */
export interface EntryEnd {
  isExecuted: boolean;
  block: SeenBlock;
}

/**
 * How the entry at `queueNonce` left a Safe's queue; null while it is in there. It reads the Safe's whole history, so it is
 * for violations alone.
 *
 * @param state read before this is called: what runs in between must not look skipped
 */
export async function findEntryEnd(
  ctx: Pick<Context, "chain" | "db">,
  safe: Safe,
  { queueNonce, state }: { queueNonce: bigint; state: Pick<DelayState, "txNonce"> },
): Promise<EntryEnd | null> {
  if (queueNonce >= state.txNonce) return null;
  const head = await ctx.chain.getBlock();
  const accounts = { safe: safe.address, delay: safe.delayAddress };
  const logs = await ctx.chain.getLogs({
    addresses: [safe.address, safe.delayAddress],
    topics: fateTopics,
    fromBlock: await findDeploymentBlock(ctx.db, safe.id),
    toBlock: head.number,
  });
  const history = logs.filter((log) => isFateLog(log, accounts));
  const timestamps = await readTimestamps(ctx, history);
  const fate = assignFates({ ...accounts, logs: history, txNonce: state.txNonce, timestamps }).get(queueNonce);
  if (!fate) return null;
  return fate.kind === "executed"
    ? { isExecuted: true, block: fate }
    : { isExecuted: false, block: { blockNumber: head.number, blockHash: head.hash } };
}
