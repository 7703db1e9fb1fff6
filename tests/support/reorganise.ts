import { openNode } from "./node.ts";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";

type Chain = Pick<RunningService, "rpcUrl" | "sandboxUrl">;

/** The node makes a block each second, unless a test has stopped it. */
const blockMsMax = 1_500;

/**
 * Waits until the node has just made a block, and answers how many came meanwhile. A node that makes one while its blocks are replaced
 * may keep that one without what it changed, so the moment right behind one is taken.
 */
export async function awaitBlock({ rpcUrl }: Pick<Chain, "rpcUrl">): Promise<number> {
  const { client } = openNode(rpcUrl);
  const read = () => client.getBlockNumber({ cacheTime: 0 });
  const [before, endsAt] = [await read(), performance.now() + blockMsMax];
  await until(async () => (await read()) > before || performance.now() > endsAt, { everyMs: 20 });
  return Number((await read()) - before);
}

/** Replaces the newest blocks by empty ones; their transactions are in no mempool either. */
export async function reorganise(chain: Chain, blocks: number): Promise<void> {
  const body = JSON.stringify({ blocks: blocks + (await awaitBlock(chain)) });
  const answer = await fetch(`${chain.sandboxUrl}/faults/chain.reorg`, { method: "PUT", body });
  if (!answer.ok) throw new Error(await answer.text());
}
