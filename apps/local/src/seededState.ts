/** The state of a chain with every shared contract, made once per version. */
import { listDeployments } from "@cardkeep/chain/contractCode";
import { noProgress, type Progress } from "@cardkeep/terminal/progress";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { hexToBytes, keccak256 } from "viem";
import { writeWhole } from "./chainState.ts";
import { compileApart, compilerSettings, readSources } from "./compile.ts";
import { buildEns } from "./ens.ts";
import { fingerprint } from "./fingerprint.ts";
import { buildGenesis, type Step } from "./genesis.ts";
import { connectNode, type Node, startNode } from "./node.ts";
import { readPackageFile } from "./packageFiles.ts";
import { findFreePort } from "./ports.ts";
import { takeStep } from "./seeding.ts";

/** Names and hashes of the shared contracts' code; a contract without code has the hash of nothing. */
export async function readContractCode(node: Node): Promise<string> {
  const client = connectNode(node.rpcUrl);
  const items = listDeployments().map(async ({ name, address }) => {
    const code = await client.getCode({ address });
    return `${name}=${keccak256(code ?? "0x")}`;
  });
  return (await Promise.all(items)).join(",");
}

/** Beside the state of a freshly seeded chain stands the code of its contracts. */
export const codeFileOf = (seeded: string): string => `${seeded}.code`;

/**
 * The published program contains the steps and the state of the default chain; a checkout makes them from its packages.
 */
const prepared = join(import.meta.dir, "../../../apps/local/prepared");
export const preparedNames = { steps: "steps.json", stateOf: (chainId: number) => `chain-${chainId}.json` } as const;
const preparedSteps = join(prepared, preparedNames.steps);

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
const describeOrigin = (): unknown =>
  existsSync(preparedSteps) ? readFileSync(preparedSteps, "utf8") : describeSources();

function describeSources(): unknown {
  const versions = sourcePackages.map((name) => `${name}@${JSON.parse(readPackageFile(name, "package.json")).version}`);
  return [versions, compilerSettings, readSources(), ...genesisPaths.map((path) => readFileSync(path, "utf8"))];
}

/** Every step that seeds a chain, in order. They are cached, because compiling takes some seconds. */
export async function buildSteps(cacheDirectory: string, progress: Progress = noProgress): Promise<Step[]> {
  // This function wrote the files of the published program.
  if (existsSync(preparedSteps)) return readSteps(preparedSteps);
  const path = join(cacheDirectory, `steps-${fingerprint([describeOrigin()])}.json`);
  if (existsSync(path)) return readSteps(path);
  progress.begin("chain: compiles the contracts, once for each version");
  const compiled = await compileApart();
  const steps = [...buildGenesis(compiled), ...buildEns(compiled)];
  await writeWhole(path, Buffer.from(JSON.stringify(steps)));
  return steps;
}

const readSteps = (path: string): Step[] => JSON.parse(readFileSync(path, "utf8")) as Step[];

/**
 * The path of the state of a freshly seeded chain. It is created if missing; parallel processes create the same state.
 */
export async function getSeededState(
  cacheDirectory: string,
  chainId: number,
  progress: Progress = noProgress,
): Promise<string> {
  const shipped = join(prepared, preparedNames.stateOf(chainId));
  if (existsSync(shipped)) return shipped;
  const path = join(cacheDirectory, `chain-${fingerprint([describeOrigin(), chainId])}.json`);
  if (existsSync(path) && existsSync(codeFileOf(path))) return path;
  const steps = await buildSteps(cacheDirectory, progress);
  progress.begin("chain: deploys the contracts", steps.length);
  const node = await startNode({ port: await findFreePort(), chainId, blockTimeSeconds: 1, stateArguments: [] });
  try {
    for (const [index, step] of steps.entries()) {
      await takeStep(node, step);
      progress.count(index + 1, steps.length);
    }
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
