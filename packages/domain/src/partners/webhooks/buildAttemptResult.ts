/** The result of an attempt: delivered, or when it is tried again. */
import { hourMs, minuteMs } from "@cardkeep/contract/core/durations";
import type { AttemptResult, DueDelivery } from "@cardkeep/db/queries/partners/deliveries/due";
import type { WebhookAnswer } from "@cardkeep/providers/webhooks/send";

/** The first three are published, so they are exact; the later ones are spread, so that failed deliveries do not return at once. */
const retriesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs] as const;
const exactRetries = 3;
const jitter = 0.1;
/** The longest `Retry-After` that is followed. */
const retryAfterMsMax = 24 * hourMs;

/** The result of an attempt that ended at `at`, with the time of the next one where there is one. */
export function buildAttemptResult(
  { id, attempts, scheduleFrom }: DueDelivery,
  answer: WebhookAnswer,
  at: Date,
): AttemptResult {
  const { status, error, durationMs } = answer;
  const attempt = attempts + 1;
  const isDelivered = status !== null && status >= 200 && status < 300;
  const retryAfterSeconds = findRetryAfterSeconds(answer);
  const delayMs = findRetryDelayMs(attempt - scheduleFrom, { random: Math.random(), retryAfterSeconds });
  // A delivery to an endpoint that is gone waits, because the partner may enable the endpoint again.
  const isGone = status === 410;
  const becomes = isDelivered ? "DELIVERED" : delayMs === null && !isGone ? "FAILED" : "PENDING";
  const nextAttemptAt = new Date(at.getTime() + (isGone ? 0 : (delayMs ?? 0)));
  return { id, attempt, at, status, error, durationMs, becomes, nextAttemptAt };
}

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
