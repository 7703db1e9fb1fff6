/** The operator's CLI, run as an operator runs it. */
import { type Output, runCommandLine } from "@cardkeep/cli/run";
import { loadOperatorRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { mainOf } from "./bundles.ts";
import { engineSettings } from "./engine.ts";
import type { RunningService } from "./service.ts";

/** Runs one command line with exactly this environment; the whole CLI except its process. */
export const runCli = (env: Record<string, string>, ...words: string[]): Promise<Output> =>
  runCommandLine(words, async () => loadOperatorRuntime(env));

/** Runs one command line as a separate process, with exactly this environment, the path and the settings of the engine. */
export async function spawnCli(env: Record<string, string>, ...words: string[]): Promise<Output> {
  const child = Bun.spawn([process.execPath, mainOf("cli"), ...words], {
    env: { PATH: process.env["PATH"] ?? "", ...engineSettings, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** Runs one command line on an open runtime, which stays open. */
export const runCliOn = (runtime: Runtime, ...words: string[]): Promise<Output> =>
  runCommandLine(words, async () => ({ ...runtime, close: async () => {} }));

/** Runs one command line as on a machine without a database, whose sign-ins at a `--server` are in this folder. */
export async function runCliElsewhere(configFolder: string, ...words: string[]): Promise<Output> {
  const { XDG_CONFIG_HOME: before } = process.env;
  process.env["XDG_CONFIG_HOME"] = configFolder;
  try {
    return await runCommandLine(words, () => Promise.reject(new Error("no database")));
  } finally {
    if (before === undefined) delete process.env["XDG_CONFIG_HOME"];
    else process.env["XDG_CONFIG_HOME"] = before;
  }
}

/**
 * The `--json` output of one command line.
 * @throws Error with the line on its error stream
 */
export async function askCli<T>({ runtime }: Pick<RunningService, "runtime">, ...words: string[]): Promise<T> {
  const { code, out, err } = await runCliOn(runtime, ...words, "--json");
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}
