import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Db } from "@cardkeep/db/client";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";

interface Head {
  readonly number: bigint;
  readonly hash: Hex;
  /** In seconds. */
  readonly timestamp: number;
}

/** Requests to the node in the time of one block: a mined block is seen after a quarter of it at most. */
const looksPerBlock = 4;
/** Each look is a request that a node's operator may bill. A job that the queue starts later costs six statements and up to 50 ms. */
const everyMs = { min: 250, max: 500 };
/** Ends before the next run, which is in the queue already. */
const atMostMs = 800;

/** The newest head that was followed, and the time between its block and the one followed before. */
const followed = new WeakMap<Db, { head: Head; blockMs: number }>();

/** The time between the newest blocks in ms; unknown at first, then as slow as any. */
function measureBlockMs(db: Db, head: Head): number {
  const last = followed.get(db);
  if (last?.head.hash === head.hash) return last.blockMs;
  const blocks = last === undefined ? 0n : head.number - last.head.number;
  const blockMs = last && blocks > 0n ? ((head.timestamp - last.head.timestamp) * 1_000) / Number(blocks) : Infinity;
  followed.set(db, { head, blockMs });
  return blockMs;
}

/** Moves the next run of `chain.follow` to the moment when the chain has another head. Without a new block it stays. */
export async function waitForBlock(ctx: WorkerContext, head: Head): Promise<void> {
  const payload = { chainId: String(ctx.policy.chainId), requestId: ctx.requestId };
  const pauseMs = Math.min(everyMs.max, Math.max(everyMs.min, measureBlockMs(ctx.db, head) / looksPerBlock));
  const endsAt = performance.now() + atMostMs;
  while (performance.now() + pauseMs < endsAt && !ctx.stopping.aborted) {
    await Bun.sleep(pauseMs);
    if ((await ctx.chain.getBlock()).hash !== head.hash) return enqueue(ctx.db, "chain.follow", payload);
  }
}
