import type { Hex } from "@cardkeep/contract/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../context.ts";

/** One request to the node each time. A job that the queue starts later costs six statements and 200 ms of its own. */
const everyMs = 100;
/** Ends before the next run, which is in the queue already. */
const atMostMs = 800;

/** Moves the next run of `chain.follow` to the moment when the chain has another head. Without a new block it stays. */
export async function followNextBlock(ctx: WorkerContext, head: { hash: Hex }): Promise<void> {
  const payload = { chainId: String(ctx.rules.chainId), requestId: ctx.requestId };
  const endsAt = performance.now() + atMostMs;
  while (performance.now() < endsAt && !ctx.stopping.aborted) {
    await Bun.sleep(everyMs);
    if ((await ctx.chain.getBlock()).hash !== head.hash) return enqueue(ctx.db, "chain.follow", payload);
  }
}
