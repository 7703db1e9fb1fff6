/** `bun run cardkeep <noun> <verb>`: the operator's verbs on a terminal. */
import { runCommandLine } from "./run.ts";

/** Loaded when a command needs it, so that a help text appears at once. */
const load = () => import("@cardkeep/runtime/compose").then((module) => module.loadOperatorRuntime());

// A reader such as `head` closes the pipe early. That is no failure.
process.stdout.on("error", () => process.exit(0));

const { code } = await runCommandLine(process.argv.slice(2), load, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
process.exitCode = code;
