/** A local chain with every contract at its canonical address. */
import type { Progress } from "@cardkeep/terminal/progress";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { createSaver } from "./chainSaver.ts";
import { restoreState, saveState } from "./chainState.ts";
import { createEmptyBlocks, findQuietPause } from "./chainBlocks.ts";
import { watchTransactions } from "./watchTransactions.ts";
import { connectNode, type Node, startNode } from "./node.ts";
import { stopOrphan, writePidFile } from "./pidFile.ts";
import { findFreePort } from "./ports.ts";
import { codeFileOf, getSeededState, readContractCode } from "./seededState.ts";

export interface Chain {
  readonly rpcUrl: string;
  readonly port: number;
  readonly pid: number;
  /** The code of its shared contracts, as the setting CONTRACT_CODE expects it. */
  readonly contractCode: string;
  /** Resolves with the reason when the node has ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** The node writes its state when it ends. While it runs, the saver saves it. */
const stateIntervalSeconds = "86400";
const saveCheckEveryMs = 250;
/**
 * How many states of old blocks a node with a state file keeps in memory; all of them take 40 MB a minute. It needs a
 * few: a read at the latest block fails if the next block arrives meanwhile. A chain without a file keeps all of them
 * for tests.
 */
const statesMax = "16";

/**
 * Starts a chain whose time is the wall clock plus `clockOffsetSeconds`, or later if its blocks are already later.
 *
 * With `stateFile` the chain keeps its state there and resumes it; without, the state is lost at the end. The
 * contracts are compiled and seeded once per `cacheDirectory` and version, which takes seconds. Later starts take
 * tens of milliseconds.
 */
export async function startChain(options: {
  cacheDirectory: string;
  port?: number;
  chainId?: number;
  blockTimeSeconds?: number;
  /** A quiet chain with a state file has longer pauses between blocks, by this cooldown; without one it has none. */
  cooldownSeconds?: number;
  stateFile?: string;
  clockOffsetSeconds?: number;
  logFile?: string;
  progress?: Progress;
}): Promise<Chain> {
  const { chainId = 100, blockTimeSeconds = 1, cooldownSeconds = 0, progress } = options;
  const stateFile = options.stateFile === undefined ? undefined : resolve(options.stateFile);
  if (stateFile !== undefined)
    await stopOrphan({ pidFile: pidFileOf(stateFile), marker: stateFile, signal: "SIGTERM" });
  const seeded = await getSeededState(options.cacheDirectory, chainId, progress);
  const contractCode = await Bun.file(codeFileOf(seeded)).text();
  if (stateFile !== undefined) await restoreState(stateFile, seeded);
  const stateArguments =
    stateFile === undefined
      ? ["--load-state", seeded]
      : ["--state", stateFile, "--state-interval", stateIntervalSeconds, "--prune-history", statesMax];
  const port = options.port || (await findFreePort());
  const { logFile } = options;
  const node = await startNode({
    port,
    chainId,
    // With a block time of up to 2 s anvil 1.7 keeps 1,500 states and ignores the option: see `createEmptyBlocks`.
    blockTimeSeconds: stateFile === undefined ? blockTimeSeconds : null,
    stateArguments,
    ...(logFile !== undefined && { logFile }),
  });
  if (stateFile !== undefined) writePidFile(pidFileOf(stateFile), node.pid);
  let upkeep: { stop(): Promise<void> } | null = null;
  const stop = async () => {
    await upkeep?.stop();
    await node.stop();
    if (stateFile !== undefined) await rm(pidFileOf(stateFile), { force: true });
  };
  try {
    if (stateFile !== undefined) {
      const quietEverySeconds = findQuietPause(cooldownSeconds);
      upkeep = await startUpkeep(node, { stateFile, everySeconds: blockTimeSeconds, quietEverySeconds });
    }
    await alignTime(node, options.clockOffsetSeconds ?? 0);
    if (stateFile !== undefined) await requireContracts(node, contractCode);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...node, port, contractCode, stop };
}

/** Mines the empty blocks of a node, and saves its state, until it is stopped. */
async function startUpkeep(
  node: Node,
  { stateFile, ...pauses }: { stateFile: string; everySeconds: number; quietEverySeconds: number },
): Promise<{ stop(): Promise<void> }> {
  const client = connectNode(node.rpcUrl);
  const blocks = createEmptyBlocks(client, pauses);
  const saver = createSaver(client, (state) => saveState(stateFile, state));
  const heads = await watchTransactions(node.rpcUrl, () => {
    saver.noteTransactions();
    blocks.noteTransactions();
  });
  // viem keeps the client of an address, so a new node at this one would get the closed connection of the old.
  void node.ended.then(heads.stop);
  // A state counts only if no block came while it was written.
  let isSaving = false;
  const save = async () => {
    isSaving = true;
    await saver.tick().finally(() => (isSaving = false));
  };
  const mineEmpty = async () => {
    if (!isSaving) await blocks.tick();
  };
  const stops = [repeat(pauses.everySeconds * 1000, mineEmpty), repeat(saveCheckEveryMs, save)];
  return {
    stop: async () => {
      heads.stop();
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** Runs a turn each `everyMs`, one at a time, until the function that it returns is called. */
function repeat(everyMs: number, turn: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  const timer = setInterval(() => {
    current ??= turn()
      .catch(() => {
        // The node's watcher reports the end of the node.
      })
      .finally(() => (current = null));
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await current;
  };
}

const pidFileOf = (stateFile: string): string => `${stateFile}.pid`;

/** The state file does not hold the node's time. Without this the time would go back after a restart. */
async function alignTime(node: Node, clockOffsetSeconds: number): Promise<void> {
  const client = connectNode(node.rpcUrl);
  const { timestamp: latest } = await client.getBlock();
  const now = BigInt(Math.floor(Date.now() / 1000) + clockOffsetSeconds);
  await client.setNextBlockTimestamp({ timestamp: now > latest ? now : latest + 1n });
  await client.mine({ blocks: 1 });
}

/** Rejects a chain whose shared contracts differ from those that this version seeds. */
async function requireContracts(node: Node, expected: string): Promise<void> {
  const found = await readContractCode(node);
  if (found === expected) return;
  const known = new Set(expected.split(","));
  const other = found.split(",").filter((item) => !known.has(item));
  const names = other.map((item) => item.split("=", 1)[0]).join(", ");
  throw new Error(`The chain holds other contracts than this version's (${names}). Start with an empty CARDKEEP_HOME.`);
}
