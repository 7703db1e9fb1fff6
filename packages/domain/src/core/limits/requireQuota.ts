import { fail, type Quota } from "@cardkeep/contract/core/errors";

/**
 * Requires that one more of what rows count is within a quota. `begunAt` has the instants within its span, newest first; it
 * may reach further back.
 *
 * @throws request.rate_limited
 */
export function requireQuota(quota: Quota, begunAt: readonly Date[], now: Date): void {
  const waitMs = waitMsOf(quota, begunAt, now);
  if (waitMs > 0) fail("request.rate_limited", { quota, retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

/** In how many ms one more is within a quota; 0 or less where it is now. */
export function waitMsOf({ count, withinSeconds }: Quota, begunAt: readonly Date[], now: Date): number {
  const reachedAt = begunAt[count - 1];
  return reachedAt ? reachedAt.getTime() + withinSeconds * 1000 - now.getTime() : 0;
}
