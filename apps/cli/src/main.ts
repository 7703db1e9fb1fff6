/** `bun run cardkeep <noun> <verb>`: the operator's verbs on a terminal. */
import { runCommandLine } from "./run.ts";

/** Loaded at its first use: a usage is told without it. */
const load = () => import("@cardkeep/runtime/compose").then((module) => module.loadOperatorRuntime());

// Whoever reads the beginning only, as `head` does, is no failure.
process.stdout.on("error", () => process.exit(0));

const { code, out, err } = await runCommandLine(process.argv.slice(2), load);
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = code;
