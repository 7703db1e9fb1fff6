import { setTimeout as sleep } from "node:timers/promises";
import { jitter } from "@cardkeep/db/jitter";

/** Waits `ms`, or until the process stops. Answers whether the process goes on. */
export const wait = (ms: number, stopping: AbortSignal): Promise<boolean> =>
  sleep(ms, undefined, { signal: stopping }).then(
    () => !stopping.aborted,
    () => false,
  );

/** Pauses between attempts, without an end: their means double from the first to the last, and each is spread. */
export function* listPauses({ minMs, maxMs }: { minMs: number; maxMs: number }): Generator<number, never> {
  for (let meanMs = minMs; ; meanMs = Math.min(2 * meanMs, maxMs)) yield jitter(meanMs);
}
