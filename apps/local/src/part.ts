/** One of the apps as a child process, with its log in a file. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { startChild } from "./child.ts";

export interface Part {
  /** Resolves with the reason when the app has ended. */
  readonly ended: Promise<string>;
  /** Asks the app to finish, and kills it after the time limit. */
  stop(): Promise<void>;
  /** Ends the app by SIGKILL. */
  kill(): Promise<void>;
}

/** Long enough to finish the work in flight. The sandbox, the chain and Postgres need the rest of the 10 s. */
const stopMsMax = 6_500;
const linesMax = 15;
/**
 * How long Bun's allocator (mimalloc) waits before it returns memory, in ms. Its default is 100; a thread of each process then wakes 16
 * times a second, also while the program is idle.
 */
export const allocator = { MIMALLOC_PURGE_DELAY: "2000", MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "2000" };

/** Starts an app again in the same process when a file changes that it imports; it stops as on SIGTERM before. */
const watching = ["--watch", "--no-clear-screen"];

/** Starts an app. The app ends by itself when this process has ended. */
export function startPart(input: {
  main: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  isWatching: boolean;
  /** How long it may take to stop, in ms. */
  stopMs?: number;
  openChannel?: (child: ChildProcess) => void;
}): Part {
  const child = startChild({
    command: process.execPath,
    // Each part gets the settings that are its own; a `.env` would add the others.
    args: ["--no-env-file", ...(input.isWatching ? watching : []), input.main],
    env: { ...allocator, ...input.env, CARDKEEP_CHILD: "1" },
    logFile: input.logFile,
    leash: { kind: "input" },
    ...(input.openChannel && { openChannel: input.openChannel }),
  });
  return {
    ended: child.ended,
    stop: () => child.stop("SIGTERM", "SIGKILL", input.stopMs ?? stopMsMax),
    kill: () => child.stop("SIGKILL", "SIGKILL", 0),
  };
}

/** The last lines of a log. */
export const readLogEnd = (path: string): string =>
  readFileSync(path, "utf8").trim().split("\n").slice(-linesMax).join("\n");
