/** What a command is given to work with: its output and the operator's session. */
import type { Runtime } from "@cardkeep/runtime/compose";
import { type Colors, plainColors } from "@cardkeep/terminal/colors";
import { noProgress, type Progress } from "@cardkeep/terminal/progress";
import type { CommandContext } from "@stricli/core";
import { createCliOperator, type CliOperator } from "./cliOperator.ts";
import type { RemoteServer } from "./remoteServer.ts";

/** The terminal that a command prints on. */
export interface Terminal {
  readonly widthMax: number;
  readonly colors: Colors;
  readonly progress: Progress;
}

/** A pipe, a file or a test. */
const noTerminal: Terminal = { widthMax: 120, colors: plainColors, progress: noProgress };

export interface CliContext extends CommandContext, CliOperator {
  /** The API of an installation elsewhere: `--server`. Null: the database of the settings. */
  readonly remote: RemoteServer | null;
  readonly terminal: Terminal;
  readonly process: CommandContext["process"] & { exitCode?: number | string | null };
}

/** A context together with what the command line prints and has to close in the end. */
export interface CommandLine {
  readonly context: CliContext;
  readonly printed: { out: string; err: string };
  /** The runtime, where a command loaded it. */
  runtime(): Runtime | null;
}

/** Shows what a command prints at once; a command that runs until it is stopped prints as it goes. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
  /** Without one the texts are plain. */
  readonly terminal?: Terminal;
}

/** Builds the context of one command line; `load` runs at most once, because a help text needs no service. */
export function createCommandLine(
  load: () => Promise<Runtime>,
  { streams, remote }: { streams: Streams | undefined; remote: RemoteServer | null },
): CommandLine {
  const printed = { out: "", err: "" };
  const print = (name: "out" | "err", text: string) => {
    printed[name] += text;
    streams?.[name](text);
  };
  let runtime: Runtime | null = null;
  const session = createCliOperator(async () => (runtime = await load()));
  const process = {
    stdout: { write: (text: string) => print("out", text) },
    stderr: { write: (text: string) => print("err", text) },
  };
  return {
    context: { ...session, remote, process, terminal: streams?.terminal ?? noTerminal },
    printed,
    runtime: () => runtime,
  };
}
