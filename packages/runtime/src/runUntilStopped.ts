/** The life of a process: start, run until a stop is requested, stop within a time limit. */
import { exitWithParent } from "./exitWithParent.ts";
import { SettingsError } from "./settings.ts";

/** A stop that takes longer is ended. The supervisor's own limit is 10 s. */
const stopMsMax = 8_000;

/**
 * Starts a part and keeps it until SIGTERM, SIGINT or the end of its parent. Then it calls the function that `start`
 * returned.
 *
 * If the start fails, it prints one line and exits with 1. The same happens if the stop fails or takes too long.
 */
export async function runUntilStopped(part: string, start: () => Promise<() => Promise<void>>): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  process.on("SIGTERM", stopped.resolve);
  process.on("SIGINT", stopped.resolve);
  exitWithParent(stopped.resolve);
  const stop = await start().catch((error: unknown) => exitWith(part, error));
  await stopped.promise;
  const limit = setTimeout(() => exitWith(part, new Error(`did not stop within ${stopMsMax} ms`)), stopMsMax);
  await stop().catch((error: unknown) => exitWith(part, error));
  clearTimeout(limit);
  process.exit(0);
}

function exitWith(part: string, error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  const intro = error instanceof SettingsError ? "These settings are invalid:\n" : "";
  process.stderr.write(`cardkeep ${part}: ${intro}${text}\n`);
  process.exit(1);
}
