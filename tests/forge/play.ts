/** Runs forge on a world. */
import { existsSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const project = import.meta.dir;

/** `foundry.toml` lets forge read and write here alone. */
export const workFolder = join(root, ".cardkeep/forge");
const depth = 150;
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** What a run counts, in the order of `afterInvariant`. */
const countNames = [
  "entries queued",
  "violations queued",
  "entries of former owners refused",
  "violations run",
  "payments of native money run",
  "transfers run",
  "owners added",
  "owners removed",
  "limits set",
  "allowed calls run",
  "entries skipped",
  "entries run by a hostile token",
  "spends",
  "authorised payments collected",
  "calls of outsiders refused",
  "forged signatures refused",
] as const;

/** The program of forge, from a package of its own: it has 85 MB, and nothing else needs it. Null where it is not to be had. */
export async function installForge(): Promise<string | null> {
  const install = Bun.spawn([process.execPath, "install", "--frozen-lockfile", "--silent"], {
    cwd: project,
    stdout: "ignore",
    stderr: "ignore",
  });
  await install.exited;
  const name = `forge-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const binary = join(
    project,
    "node_modules/@foundry-rs",
    name,
    "bin",
    process.platform === "win32" ? "forge.exe" : "forge",
  );
  return existsSync(binary) ? binary : null;
}

/** A program that forge starts as its compiler. */
async function writeCompiler(): Promise<string> {
  const path = join(workFolder, "solc");
  await mkdir(workFolder, { recursive: true });
  await Bun.write(path, `#!/bin/sh\nexec "${process.execPath}" "${join(project, "solc.ts")}" "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

async function run(binary: string, args: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([binary, ...args, "--root", project], {
    env: {
      ...process.env,
      FOUNDRY_SOLC: join(workFolder, "solc"),
      FOUNDRY_OUT: join(workFolder, "out"),
      FOUNDRY_CACHE_PATH: join(workFolder, "cache"),
      NO_COLOR: "1",
      ...env,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, text: `${out}\n${said}` };
}

/** Compiles the tests, once for all worlds. */
export async function compileTests(binary: string): Promise<void> {
  await writeCompiler();
  const { code, text } = await run(binary, ["build"], {});
  if (code !== 0) throw new Error(`The tests could not be compiled:\n${text}`);
}

export interface Played {
  isGood: boolean;
  /** What broke and the calls that broke it; empty where nothing did. */
  story: string;
  counts: Readonly<Record<string, number>>;
  calls: number;
}

/** Plays about as many calls in a world, which `makeWorld` wrote to a folder inside `workFolder`. */
export async function playWorld(
  binary: string,
  { folder, calls, seed, isShrunk = true }: { folder: string; calls: number; seed: number; isShrunk?: boolean },
): Promise<Played> {
  const countsFile = join(folder, "counts.txt");
  await rm(countsFile, { force: true });
  const { code, text } = await run(binary, ["test", "--fuzz-seed", String(seed)], {
    FORGE_ALLOCS: join(folder, "allocs.json"),
    FORGE_WORLD: join(folder, "world.json"),
    FORGE_COUNTS: countsFile,
    // A sequence that failed in another world says nothing of this one.
    FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: join(folder, "failures"),
    FOUNDRY_INVARIANT_RUNS: String(Math.ceil(calls / depth)),
    ...(!isShrunk && { FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: "0" }),
  });
  const [, played] = /\(runs: \d+, calls: (\d+)/.exec(text) ?? [];
  const broke = /\[FAIL.*?(?=\n *invariant_account|\n╭|$)/s.exec(text)?.[0];
  if (played === undefined && broke === undefined) throw new Error(`forge did not play:\n${text}`);
  return { isGood: code === 0, story: broke ?? "", counts: await readCounts(countsFile), calls: Number(played ?? 0) };
}

async function readCounts(path: string): Promise<Record<string, number>> {
  const file = Bun.file(path);
  const lines = (await file.exists()) ? (await file.text()).trim().split("\n") : [];
  const sums = countNames.map((name, index): [string, number] => [
    name,
    lines.reduce((sum, line) => sum + Number(line.split(" ")[index] ?? 0), 0),
  ]);
  return Object.fromEntries(sums);
}
