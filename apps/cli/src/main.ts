/** `bun run cardkeep <noun> <verb>`: the operator's verbs on a terminal. */
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Session } from "./command.ts";
import { explain } from "./faults.ts";
import { nouns } from "./nouns.ts";
import { parseCommandLine } from "./parse.ts";
import { renderJson } from "./print.ts";
import { renderUsage } from "./usage.ts";

/** Loads and opens the runtime at its first use, once: a usage is told without it. */
function createSession(): Session & { readonly opened: () => Promise<Runtime | null> } {
  let runtime: Promise<Runtime> | null = null;
  return {
    open: () => (runtime ??= import("@cardkeep/runtime/compose").then((module) => module.loadOperatorRuntime())),
    opened: async () => runtime?.catch(() => null) ?? null,
  };
}

const session = createSession();

async function run(words: readonly string[]): Promise<number> {
  const request = parseCommandLine(nouns, words);
  if (request.kind === "usage") {
    process.stdout.write(renderUsage(nouns, request.path));
    return 0;
  }
  const { data, text, exitCode = 0 } = await request.command.run(session, request.input);
  process.stdout.write(request.isJson ? renderJson(data) : text);
  return exitCode;
}

// Whoever reads the beginning only, as `head` does, is no failure.
process.stdout.on("error", () => process.exit(0));

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const { exitCode, line } = explain(error, await session.opened());
  process.stderr.write(`cardkeep: ${line}\n`);
  process.exitCode = exitCode;
} finally {
  await (await session.opened())?.close();
}
