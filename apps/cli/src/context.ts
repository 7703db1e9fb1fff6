/** What a command is given to work with: its output and the operator's session. */
import type { Runtime } from "@cardkeep/runtime/compose";
import type { CommandContext } from "@stricli/core";
import { createSession, type Session } from "./session.ts";

export interface CliContext extends CommandContext, Session {
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
}

/** Builds the context of one command line; `load` runs at most once, because a help text needs no service. */
export function createCommandLine(load: () => Promise<Runtime>, streams?: Streams): CommandLine {
  const printed = { out: "", err: "" };
  const print = (name: keyof Streams, text: string) => {
    printed[name] += text;
    streams?.[name](text);
  };
  let runtime: Runtime | null = null;
  const session = createSession(async () => (runtime = await load()));
  const process = {
    stdout: { write: (text: string) => print("out", text) },
    stderr: { write: (text: string) => print("err", text) },
  };
  return { context: { ...session, process }, printed, runtime: () => runtime };
}
