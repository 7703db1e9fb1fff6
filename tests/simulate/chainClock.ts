/** The real node of a simulated world. It mines when it is told to, with the world's time. */
import { getSeededState, codeFileOf } from "@cardkeep/local/seededState";
import { connectNode, startNode } from "@cardkeep/local/node";
import { findFreePort } from "@cardkeep/local/ports";
import { fileURLToPath } from "node:url";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const chainId = 100;

export interface WorldNode {
  readonly rpcUrl: string;
  readonly contractCode: string;
  /** Mines one block whose time is this second. */
  mine(seconds: number): Promise<void>;
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
  return {
    rpcUrl: node.rpcUrl,
    contractCode,
    mine: async (seconds) => {
      await ask("evm_setNextBlockTimestamp", seconds);
      await ask("evm_mine");
    },
    stop: node.stop,
  };
}
