import { setTimeout as sleep } from "node:timers/promises";

/** Waits `ms`, or until the process stops. Answers whether the process goes on. */
export const wait = (ms: number, stopping: AbortSignal): Promise<boolean> =>
  sleep(ms, undefined, { signal: stopping }).then(
    () => !stopping.aborted,
    () => false,
  );
