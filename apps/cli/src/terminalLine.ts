/** The operator's verbs on a terminal. */
import { createColors } from "@cardkeep/terminal/colors";
import { createProgress } from "@cardkeep/terminal/progress";
import { runCommandLine } from "./run.ts";

/** Loaded when a command needs it, so that a help text appears at once. */
const load = () => import("@cardkeep/runtime/compose").then((module) => module.loadOperatorRuntime());

/** Runs one command line on the streams of this process, and sets its exit code. */
export async function runOnTerminal(words: readonly string[]): Promise<void> {
  // A reader such as `head` closes the pipe early. That is no failure. A full disk is: what was printed is not whole.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`cardkeep: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });

  // Notes and progress alone go there: a command that changes something goes on without a reader of them.
  process.stderr.on("error", () => {});

  /** What is piped is for programs; what ends sooner than this needs no progress. */
  const [pipeWidth, progressDelayMs] = [120, 700];
  const { stdout, stderr } = process;
  const terminal = {
    widthMax: stdout.isTTY ? stdout.columns || pipeWidth : pipeWidth,
    colors: createColors(stdout),
    progress: createProgress({ lines: stderr, activity: stdout.isTTY ? stderr : null }, { delayMs: progressDelayMs }),
  };

  const { code } = await runCommandLine(words, load, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal,
  });
  process.exitCode = code;
}
