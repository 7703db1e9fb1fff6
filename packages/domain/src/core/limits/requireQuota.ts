import { fail, type Quota } from "@cardkeep/contract/core/errors";

/**
 * Requires that one more of what rows count is within a quota. `begunAt` has the instants within its span, newest first; it
 * may reach further back.
 *
 * @throws request.rate_limited
 */
export function requireQuota(quota: Quota, begunAt: readonly Date[], now: Date): void {
  const reachedAt = begunAt[quota.count - 1];
  if (!reachedAt) return;
  const waitMs = reachedAt.getTime() + quota.withinSeconds * 1000 - now.getTime();
  if (waitMs > 0) fail("request.rate_limited", { quota, retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
