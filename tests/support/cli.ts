/** The operator's CLI, run as an operator runs it. */
import { nouns } from "@cardkeep/cli/nouns";
import { parseCommandLine } from "@cardkeep/cli/parse";
import { renderJson } from "@cardkeep/cli/print";
import { runCommandLine, type Said } from "@cardkeep/cli/run";
import { createSession } from "@cardkeep/cli/session";
import { loadOperatorRuntime } from "@cardkeep/runtime/compose";
import { mainOf } from "./bundles.ts";
import type { Service } from "./service.ts";

/** Runs one command line with exactly this environment; all of the CLI but its process. */
export const runCli = (env: Record<string, string>, ...words: string[]): Promise<Said> =>
  runCommandLine(words, async () => loadOperatorRuntime(env));

/** Runs one command line as a process of its own, with exactly this environment besides the path. */
export async function spawnCli(env: Record<string, string>, ...words: string[]): Promise<Said> {
  const child = Bun.spawn([process.execPath, mainOf("cli"), ...words], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** What one command line would print with `--json`, without a process of its own; throws what it would be refused with. */
export async function askCli<T>(service: Pick<Service, "runtime">, ...words: string[]): Promise<T> {
  const request = parseCommandLine(nouns, words);
  if (request.kind !== "command") throw new Error(`${words.join(" ")} is no command`);
  const { data } = await request.command.run(
    createSession(async () => service.runtime),
    request.input,
  );
  return JSON.parse(renderJson(data));
}
