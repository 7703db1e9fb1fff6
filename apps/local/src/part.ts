/** One of the apps as a child process, with its log in a file. */
import { readFileSync } from "node:fs";
import { startChild } from "./child.ts";

export interface Part {
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>;
  /** Asks it to finish, and ends it when it does not within the time. */
  stop(): Promise<void>;
}

/** Long enough to answer what is in flight; the rest of the 10 s is the chain's and Postgres's. */
const stopMsMax = 6_500;
const linesMax = 15;

/** Starts an app; it finishes by itself when this process is gone. */
export function startPart(input: { main: string; env: NodeJS.ProcessEnv; logFile: string }): Part {
  const child = startChild({
    command: process.execPath,
    args: [input.main],
    env: { ...input.env, CARDKEEP_CHILD: "1" },
    logFile: input.logFile,
    leash: { kind: "input" },
  });
  return { ended: child.ended, stop: () => child.stop("SIGTERM", "SIGKILL", stopMsMax) };
}

/** The last lines of a log. */
export const readLogEnd = (path: string): string =>
  readFileSync(path, "utf8").trim().split("\n").slice(-linesMax).join("\n");
