/** Commands that run until the terminal stops them. */
import { setTimeout } from "node:timers/promises";

/** Aborts at Ctrl-C or SIGTERM, which then do not end the process by themselves. */
export function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

/** Waits, at most until the signal. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => {
    // The signal ended the wait.
  });
