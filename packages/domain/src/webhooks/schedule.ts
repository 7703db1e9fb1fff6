/** When a delivery is tried again. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The first three as published, exactly; then a longer tail, spread so that what failed together does not return together. */
const retriesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs] as const;
const exactRetries = 3;
const jitter = 0.1;
/** What a receiver asks for is heeded, within reason. */
const retryAfterMsMax = 24 * hourMs;

/**
 * Milliseconds from the failed attempt number `attempt` (1 is the first) to the next; null where there is none. `random`
 * in 0..1 spreads the tail; a receiver's `Retry-After` is never undercut.
 */
export function findRetryDelayMs(
  attempt: number,
  { random, retryAfterSeconds }: { random: number; retryAfterSeconds: number | null },
): number | null {
  const delayMs = retriesMs[attempt - 1];
  if (delayMs === undefined) return null;
  const spread = attempt > exactRetries ? delayMs * (1 + jitter * random) : delayMs;
  return Math.round(Math.max(spread, clampRetryAfterMs(retryAfterSeconds)));
}

/** A `Retry-After` in milliseconds, 0 for none. */
export const clampRetryAfterMs = (seconds: number | null): number => Math.min((seconds ?? 0) * 1000, retryAfterMsMax);
