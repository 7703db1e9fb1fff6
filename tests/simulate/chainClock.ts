/** The real node of a simulated world. It mines when it is told to, with the world's time. */
import { getSeededState, codeFileOf } from "@cardkeep/local/seededState";
import { connectNode, startNode } from "@cardkeep/local/node";
import { findFreePort } from "@cardkeep/local/ports";
import { fileURLToPath } from "node:url";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const chainId = 100;
/** No reorganisation is deeper. */
export const reorganisedMax = 3;

export interface WorldNode {
  readonly rpcUrl: string;
  readonly contractCode: string;
  /** Mines one block whose time is this second. */
  mine(seconds: number): Promise<void>;
  /** Removes the newest blocks and mines others of the same times in their place, without what was in them. */
  reorganise(blocks: number): Promise<void>;
  /** The blocks so far are never removed. */
  keep(): void;
  stop(): Promise<void>;
}

/** @param fetchReally reaches the node past the scheduler */
export async function startWorldNode(fetchReally: typeof fetch): Promise<WorldNode> {
  const seeded = await getSeededState(cacheDirectory, chainId);
  const contractCode = await Bun.file(codeFileOf(seeded)).text();
  const port = await findFreePort();
  const node = await startNode({ port, chainId, blockTimeSeconds: null, stateArguments: ["--load-state", seeded] });
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetchReally(node.rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  await connectNode(node.rpcUrl).setAutomine(false);
  const mined: { before: unknown; seconds: number }[] = [];
  const mine = async (seconds: number): Promise<void> => {
    mined.push({ before: await ask("evm_snapshot"), seconds });
    if (mined.length > reorganisedMax) mined.shift();
    await ask("evm_setNextBlockTimestamp", seconds);
    await ask("evm_mine");
  };
  return {
    rpcUrl: node.rpcUrl,
    contractCode,
    mine,
    reorganise: async (blocks) => {
      const removed = mined.splice(-blocks);
      const [oldest] = removed;
      if (!oldest) return;
      await ask("evm_revert", oldest.before);
      for (const { seconds } of removed) await mine(seconds);
    },
    keep: () => void mined.splice(0),
    stop: node.stop,
  };
}
