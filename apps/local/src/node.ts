/** The EVM node: anvil's binary from npm, as a child of this process. */
import { buildAnswerLimits } from "@cardkeep/chain/reads/answerLimits";
import { buildChildEnvironment } from "@cardkeep/runtime/childEnvironment";
import { localRpcUrl } from "@cardkeep/runtime/local";
import { join } from "node:path";
import { createTestClient, http, publicActions, walletActions } from "viem";
import { startChild } from "./child.ts";
import { nestedPackageFolder } from "./packageFiles.ts";
import { isPortFree } from "./ports.ts";

export interface Node {
  readonly pid: number;
  readonly rpcUrl: string;
  /** Resolves with the reason when the node has ended. */
  readonly ended: Promise<string>;
  /** Ends the node; with a state file the node writes its state first. */
  stop(): Promise<void>;
}

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
/** How long the node may take to start, and for an answer. */
const answerMsMax = 10_000;
const stopMsMax = 1_500;
const blockGasLimit = 17_000_000;
const baseFeeWei = 1_000_000_000;

/** A client for a local node, with its development methods. */
export const connectNode = (rpcUrl: string) =>
  createTestClient({
    mode: "anvil",
    transport: http(rpcUrl, { ...buildAnswerLimits({ timeoutMs: answerMsMax }), retryCount: 0 }),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);

/**
 * Starts a node on a free port of this machine only. It mines a block at once for a transaction, and an empty one
 * every `blockTimeSeconds`; with null the caller mines the empty ones.
 * @throws Error in one line if it does not start, for example because the port is taken
 */
export async function startNode(input: {
  port: number;
  chainId: number;
  blockTimeSeconds: number | null;
  stateArguments: string[];
  logFile?: string;
}): Promise<Node> {
  const platform = `@foundry-rs/anvil-${process.platform === "win32" ? "win32" : process.platform}-${architectures[process.arch] ?? process.arch}`;
  const binary = join(
    nestedPackageFolder("@foundry-rs/anvil", platform),
    "bin",
    process.platform === "win32" ? "anvil.exe" : "anvil",
  );
  const numbers = {
    port: input.port,
    "chain-id": input.chainId,
    ...(input.blockTimeSeconds !== null && { "block-time": input.blockTimeSeconds }),
    "gas-limit": blockGasLimit,
    "base-fee": baseFeeWei,
  };
  const options = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const mixed = input.blockTimeSeconds === null ? [] : ["--mixed-mining"];
  // A second node on a port ends by itself, but until then the first node would answer our requests.
  if (!(await isPortFree(input.port)))
    throw new Error(`Port ${input.port} is in use. Stop the other program or set CHAIN_PORT.`);
  const child = startChild({
    command: binary,
    args: ["--host", "127.0.0.1", "--silent", ...options, ...mixed, ...input.stateArguments],
    ...(input.logFile !== undefined && { logFile: input.logFile }),
    env: buildChildEnvironment(process.env, null),
    leash: { kind: "signal", signal: "SIGTERM" },
  });
  let end: string | null = null;
  void child.ended.then((how) => (end = how));
  const rpcUrl = localRpcUrl(input.port);
  const client = connectNode(rpcUrl);
  const deadline = Date.now() + answerMsMax;
  for (;;) {
    const chainId = await client.getChainId().catch(() => null);
    if (end !== null)
      throw new Error(
        `The chain did not start on port ${input.port} (${end})${input.logFile === undefined ? "" : `: see ${input.logFile}`}`,
      );
    if (chainId === input.chainId) break;
    if (Date.now() > deadline) {
      await child.stop("SIGKILL", "SIGKILL", 0);
      throw new Error(`The chain on port ${input.port} did not answer within ${answerMsMax} ms`);
    }
    await Bun.sleep(5);
  }
  return {
    pid: child.pid,
    rpcUrl,
    ended: child.ended,
    stop: () => child.stop("SIGTERM", "SIGKILL", stopMsMax),
  };
}
