/** A local chain with every contract at its canonical address. */
import { listDeployments } from "@cardkeep/chain/contractCode";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { hexToBytes, keccak256 } from "viem";
import { startSaver } from "./chainSaver.ts";
import { restoreState, saveState, writeWhole } from "./chainState.ts";
import { compileApart, compilerSettings, readSources } from "./compile.ts";
import { buildEns } from "./ens.ts";
import { buildGenesis } from "./genesis.ts";
import { connectNode, type Node, startNode } from "./node.ts";
import { stopOrphan, writePidFile } from "./orphan.ts";
import { readPackageFile } from "./packageFiles.ts";
import { findFreePort } from "./ports.ts";
import { addEns, takeStep } from "./seeding.ts";

export interface Chain {
  readonly rpcUrl: string;
  readonly port: number;
  readonly pid: number;
  /** The code of its shared contracts, as the setting CONTRACT_CODE takes it. */
  readonly contractCode: string;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** The node writes its state out when it ends; in between `startSaver` does. */
const stateIntervalSeconds = "86400";
/**
 * States of old blocks that a node with a state file keeps; all of them take 40 MB a minute. Not none: a question at the
 * latest block fails when the next one comes meanwhile. A chain without a file keeps them for tests.
 */
const statesMax = "16";

/**
 * Starts a chain whose time is the wall clock plus `clockOffsetSeconds`, or later where its blocks already are.
 *
 * With `stateFile` it keeps its state there and resumes it; without, it is gone at the end. The contracts are compiled and
 * seeded once per `cacheDirectory` and version, some seconds; afterwards a start takes tens of milliseconds.
 */
export async function startChain(options: {
  cacheDirectory: string;
  port?: number;
  chainId?: number;
  blockTimeSeconds?: number;
  stateFile?: string;
  clockOffsetSeconds?: number;
  logFile?: string;
}): Promise<Chain> {
  const { chainId = 100, blockTimeSeconds = 1 } = options;
  const stateFile = options.stateFile === undefined ? undefined : resolve(options.stateFile);
  if (stateFile !== undefined)
    await stopOrphan({ pidFile: pidFileOf(stateFile), marker: stateFile, signal: "SIGTERM" });
  const seeded = await getSeededState(options.cacheDirectory, chainId);
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
    // With a block time of up to 2 s anvil 1.7 keeps 1,500 states, whatever it is asked for: see `startBlocks`.
    blockTimeSeconds: stateFile === undefined ? blockTimeSeconds : null,
    stateArguments,
    ...(logFile !== undefined && { logFile }),
  });
  if (stateFile !== undefined) writePidFile(pidFileOf(stateFile), node.pid);
  const saver =
    stateFile === undefined ? null : startSaver(connectNode(node.rpcUrl), (state) => saveState(stateFile, state));
  const blocks = stateFile === undefined ? null : startBlocks(node, blockTimeSeconds);
  const stop = async () => {
    if (blocks) clearInterval(blocks);
    await saver?.stop();
    await node.stop();
    if (stateFile !== undefined) await rm(pidFileOf(stateFile), { force: true });
  };
  try {
    await alignTime(node, options.clockOffsetSeconds ?? 0);
    if (stateFile !== undefined) {
      await requireContracts(node, contractCode);
      await addEns(node);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...node, port, contractCode, stop };
}

/** Mines an empty block each `everySeconds`, so that the chain's time goes on. */
function startBlocks(node: Node, everySeconds: number): NodeJS.Timeout {
  const client = connectNode(node.rpcUrl);
  let current: Promise<unknown> | null = null;
  return setInterval(() => {
    // A node that has ended is reported by its watcher.
    current ??= client
      .mine({ blocks: 1 })
      .catch(() => null)
      .finally(() => (current = null));
  }, everySeconds * 1000).unref();
}

const pidFileOf = (stateFile: string): string => `${stateFile}.pid`;

/** The state file does not hold the node's time: without this it would go back after a restart. */
async function alignTime(node: Node, clockOffsetSeconds: number): Promise<void> {
  const client = connectNode(node.rpcUrl);
  const { timestamp: latest } = await client.getBlock();
  const now = BigInt(Math.floor(Date.now() / 1000) + clockOffsetSeconds);
  await client.setNextBlockTimestamp({ timestamp: now > latest ? now : latest + 1n });
  await client.mine({ blocks: 1 });
}

/** Refuses a chain whose shared contracts are not those that this version seeds. */
async function requireContracts(node: Node, expected: string): Promise<void> {
  const found = await readContractCode(node);
  if (found === expected) return;
  const known = new Set(expected.split(","));
  const other = found.split(",").filter((item) => !known.has(item));
  const names = other.map((item) => item.split("=", 1)[0]).join(", ");
  throw new Error(`The chain holds other contracts than this version's (${names}): start with an empty CARDKEEP_HOME`);
}

/** Names and hashes of the shared contracts' code; a contract without code has the hash of nothing. */
async function readContractCode(node: Node): Promise<string> {
  const client = connectNode(node.rpcUrl);
  const items = listDeployments().map(async ({ name, address }) => {
    const code = await client.getCode({ address });
    return `${name}=${keccak256(code ?? "0x")}`;
  });
  return (await Promise.all(items)).join(",");
}

/** Beside the state of a freshly seeded chain stands the code of its contracts. */
const codeFileOf = (seeded: string): string => `${seeded}.code`;

const genesisPaths = ["genesis.ts", "ens.ts"].map((name) => join(import.meta.dir, name));
const sourcePackages = [
  "@ensdomains/resolver",
  "@gnosis.pm/safe-contracts",
  "@gnosis.pm/zodiac",
  "@openzeppelin/contracts-upgradeable",
  "@safe-global/safe-singleton-factory",
  "solc",
  "viem",
  "zodiac-roles-sdk",
];

/** What the seeded state comes from; another value is another state. */
function fingerprint(chainId: number): string {
  const versions = sourcePackages.map((name) => `${name}@${JSON.parse(readPackageFile(name, "package.json")).version}`);
  const genesisSource = JSON.stringify([
    versions,
    compilerSettings,
    readSources(),
    ...genesisPaths.map((path) => readFileSync(path, "utf8")),
    chainId,
  ]);
  return new Bun.CryptoHasher("sha256").update(genesisSource).digest("hex").slice(0, 16);
}

/** Path of the state of a freshly seeded chain, made when it is not there; whoever else makes it at once makes the same. */
async function getSeededState(cacheDirectory: string, chainId: number): Promise<string> {
  const path = join(cacheDirectory, `chain-${fingerprint(chainId)}.json`);
  if (existsSync(path) && existsSync(codeFileOf(path))) return path;
  const compiled = await compileApart();
  const steps = [...buildGenesis(compiled), ...buildEns(compiled)];
  const node = await startNode({ port: await findFreePort(), chainId, blockTimeSeconds: 1, stateArguments: [] });
  try {
    for (const step of steps) await takeStep(node, step);
    const contractCode = await readContractCode(node);
    if (contractCode.includes(keccak256("0x"))) throw new Error(`A contract was not seeded: ${contractCode}`);
    await writeWhole(codeFileOf(path), Buffer.from(contractCode));
    const dump = await connectNode(node.rpcUrl).dumpState();
    await writeWhole(path, gunzipSync(hexToBytes(dump)));
  } finally {
    await node.stop();
  }
  return path;
}
