/** The life of a process: start, run until a stop is requested, drain, stop within a time limit. */
import { constants } from "node:os";
import { exitWithParent } from "./exitWithParent.ts";
import { logFaults } from "./logFaults.ts";
import { SettingsError } from "./settings.ts";
import { stopLimits } from "./stopLimits.ts";

/** A terminal and the program that runs this one may both send the first signal. */
const repeatMsMin = 300;

/** What a start is given. */
export interface Life {
  /** Aborted when a stop is requested. A start that waits ends then. */
  readonly stopping: AbortSignal;
  /** Ends the process with 1 and one line, for a fault that is found after the start. */
  fail(error: unknown): void;
}

/** A started process. */
export interface Started {
  /** Sends new work elsewhere. The time limit of the stop begins afterwards. */
  drain?(): Promise<void>;
  /** Finishes the work in flight and releases everything. */
  stop(): Promise<void>;
}

/**
 * Starts a part and keeps it until SIGTERM, SIGINT or the end of its parent. Then it drains and stops the part. A second
 * signal ends the process at once.
 *
 * If the start fails, it prints one line and exits with 1. The same happens if the stop fails or takes too long.
 */
export async function runUntilStopped(part: string, start: (life: Life) => Promise<Started>): Promise<void> {
  logFaults(part);
  const requested = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let requestedAtMs = 0;
  const request = (): void => {
    if (stopping.signal.aborted) return;
    requestedAtMs = performance.now();
    stopping.abort();
    requested.resolve();
  };
  const answerSignal = (signal: "SIGTERM" | "SIGINT"): void => {
    if (stopping.signal.aborted && performance.now() - requestedAtMs > repeatMsMin) exitAtOnce(part, signal);
    request();
  };
  process.on("SIGTERM", answerSignal);
  process.on("SIGINT", answerSignal);
  exitWithParent(request);
  const fail = (error: unknown): never => exitWith(part, error);
  const limit = (): Timer =>
    setTimeout(() => fail(new Error(`did not stop within ${stopLimits.stopMs} ms`)), stopLimits.stopMs);
  // A start that does not end after the request counts as a stop.
  const ofStart = requested.promise.then(limit);
  const started = await start({ stopping: stopping.signal, fail }).catch(fail);
  await requested.promise;
  clearTimeout(await ofStart);
  await started.drain?.().catch(fail);
  const ofStop = limit();
  await started.stop().catch(fail);
  clearTimeout(ofStop);
  process.exit(0);
}

function exitAtOnce(part: string, signal: "SIGTERM" | "SIGINT"): never {
  process.stderr.write(`cardkeep ${part}: ended at once after a second signal\n`);
  process.exit(128 + constants.signals[signal]);
}

function exitWith(part: string, error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  const intro = error instanceof SettingsError ? "These settings are invalid:\n" : "";
  process.stderr.write(`cardkeep ${part}: ${intro}${text}\n`);
  process.exit(1);
}
