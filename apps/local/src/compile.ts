/** Our own contracts for local chains, compiled with the JavaScript build of solc. */
import { buildChildEnvironment } from "@cardkeep/runtime/childEnvironment";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readPackageFile } from "./packageFiles.ts";
import { correctionsText, patchSource } from "./patch.ts";

const contractsFolder = fileURLToPath(new URL("../contracts", import.meta.url));
/** The contracts of a local chain. Tests compile their own contracts. */
const sources: readonly string[] = ["Delay.sol", "Ens.sol", "TestToken.sol"];

export interface CompiledContract {
  /** The data of a deployment. */
  creation: Hex;
  /** The code at the address after the deployment. */
  runtime: Hex;
}

const code = z.object({ object: z.string() });
const answer = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z
    .record(z.string(), z.record(z.string(), z.object({ evm: z.object({ bytecode: code, deployedBytecode: code }) })))
    .optional(),
});

/** What identifies a compilation: source, compiler and settings. */
export const compilerSettings = {
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "paris",
  metadata: { bytecodeHash: "none" },
} as const;

const readSource = (path: string): string => readFileSync(join(contractsFolder, path), "utf8");

/** Our sources and corrections of packages' sources, for a fingerprint of the compilation. */
export const readSources = (paths = sources): string => [...paths.map(readSource), correctionsText].join("\n");

/**
 * Compiles all contracts in our sources, in a few seconds.
 * @throws Error with the compiler's own messages
 */
export async function compileContracts(paths = sources): Promise<Record<string, CompiledContract>> {
  // The compiler takes ten megabytes, and most starts do not need it.
  const { default: solc } = await import("solc");
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(paths.map((path) => [path, { content: readSource(path) }])),
    settings: {
      ...compilerSettings,
      outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } },
    },
  };
  const output = answer.parse(JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })));
  const faults = (output.errors ?? []).filter((error) => error.severity === "error");
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join("\n"));
  const ofSources = paths.flatMap((path) => Object.entries(output.contracts?.[path] ?? {}));
  return Object.fromEntries(
    ofSources.map(([name, { evm }]) => [
      name,
      { creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` },
    ]),
  );
}

/** A package's source by its import path, with our corrections. */
function readImport(path: string): { contents: string } | { error: string } {
  try {
    const [, name, rest] = /^(@[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`no package in ${path}`);
    return { contents: patchSource(path, readPackageFile(name, rest)) };
  } catch (error) {
    return { error: String(error) };
  }
}

const hex = z.templateLiteral(["0x", z.string()]);
const compiled = z.record(z.string(), z.object({ creation: hex, runtime: hex }));

/** Like `compileContracts`, in a process of its own. The compiler takes 150 MB, which are freed when it ends. */
export async function compileApart(paths = sources): Promise<Record<string, CompiledContract>> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "compileProcess.ts"), ...paths], {
    env: buildChildEnvironment(process.env, null),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`The contracts could not be compiled: ${said.trim()}`);
  return compiled.parse(JSON.parse(out));
}
