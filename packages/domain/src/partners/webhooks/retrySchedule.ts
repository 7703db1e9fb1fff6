/** When a delivery that failed is tried again. */
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";
import type { WebhookAnswer } from "@cardkeep/providers/webhooks/send";

/** The first three are published, so they are exact; the later ones are spread, so that failed deliveries do not return at once. */
const retriesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs] as const;
const exactRetries = 3;
const jitter = 0.1;
/** The longest `Retry-After` that is followed. */
const retryAfterMsMax = 24 * hourMs;

/** The longest pause between two attempts at an endpoint to which something is to be sent. */
export const attemptPauseMsMax = 24 * hourMs * (1 + jitter);

/** The `Retry-After` of an answer, in seconds; only 429 and 503 carry one. */
export const findRetryAfterSeconds = ({ status, retryAfterSeconds }: WebhookAnswer): number | null =>
  status === 429 || status === 503 ? retryAfterSeconds : null;

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
