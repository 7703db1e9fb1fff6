/** Faults that happen once, at the request that switches them on. */
import { requestRestart } from "@cardkeep/runtime/partRestart";
import { BaseError, slice } from "viem";
import { connectNode } from "../core/minter.ts";
import { SandboxError } from "../core/route.ts";
import type { FaultName, FaultOptions } from "./catalogue.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

type Act = (runtime: SandboxRuntime, options: FaultOptions) => Promise<void>;

async function restart(part: "worker" | "postgres"): Promise<void> {
  const refusal = await requestRestart(part);
  if (refusal !== null) throw new SandboxError(409, refusal);
}

async function reorganise(runtime: SandboxRuntime, { blocks }: FaultOptions): Promise<void> {
  await replaceBlocks(runtime, blocks).catch((error: unknown) => {
    if (!(error instanceof BaseError)) throw error;
    throw new SandboxError(
      422,
      `The node cannot replace ${blocks} blocks; it has the state of blocks since its start alone: ${error.details}`,
    );
  });
}

async function replaceBlocks(runtime: SandboxRuntime, blocks: FaultOptions["blocks"]): Promise<void> {
  const node = connectNode(runtime);
  // An empty block of the same time and fee would be the same block again, but for who mined it.
  const { hash } = await node.getBlock();
  await node.setCoinbase({ address: slice(hash, 0, 20) });
  // The client's types do not know this method of anvil.
  await node.request({ method: "anvil_reorg", params: [blocks, []] } as never);
}

const acts: Partial<Record<FaultName, Act>> = {
  "chain.reorg": reorganise,
  "worker.kill": () => restart("worker"),
  "postgres.restart": () => restart("postgres"),
};

/** Performs a fault that happens once. Returns false for one that stays on. */
export async function performOnce(runtime: SandboxRuntime, name: FaultName, options: FaultOptions): Promise<boolean> {
  const act = acts[name];
  await act?.(runtime, options);
  return act !== undefined;
}
