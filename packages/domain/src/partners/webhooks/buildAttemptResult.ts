/** The result of an attempt: delivered, or when it is tried again. */
import type { AttemptResult, DueDelivery } from "@cardkeep/db/queries/partners/deliveries/due";
import type { WebhookAnswer } from "@cardkeep/providers/webhooks/send";
import { findRetryAfterSeconds, findRetryDelayMs } from "./retrySchedule.ts";

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
  return { id, attempt, scheduleFrom, at, status, error, durationMs, becomes, nextAttemptAt };
}
