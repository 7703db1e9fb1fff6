/** One command line from its words to what it says. */
import type { Runtime } from "@cardkeep/runtime/compose";
import { explain } from "./faults.ts";
import { nouns } from "./nouns.ts";
import { parseCommandLine } from "./parse.ts";
import { renderJson } from "./print.ts";
import { createSession } from "./session.ts";
import { renderUsage } from "./usage.ts";

/** What a command line says on its two streams, and its exit code. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs one command line; never throws.
 *
 * `load` is asked for the runtime at its first use, once, and what it gave is closed in the end: a usage is told without.
 */
export async function runCommandLine(words: readonly string[], load: () => Promise<Runtime>): Promise<Said> {
  let runtime: Promise<Runtime> | null = null;
  const opened = async () => runtime?.catch(() => null) ?? null;
  const session = createSession(() => (runtime = load()));
  try {
    const request = parseCommandLine(nouns, words);
    if (request.kind === "usage") return { code: 0, out: renderUsage(nouns, request.path), err: "" };
    const { data, text, exitCode = 0 } = await request.command.run(session, request.input);
    return { code: exitCode, out: request.isJson ? renderJson(data) : text, err: "" };
  } catch (error) {
    const { exitCode, line } = explain(error, await opened());
    return { code: exitCode, out: "", err: `cardkeep: ${line}\n` };
  } finally {
    await (await opened())?.close();
  }
}
