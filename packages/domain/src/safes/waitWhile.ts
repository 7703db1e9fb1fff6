/** Waiting inside a request for what the worker makes of a Safe. */
import type { SafeStatus } from "@cardkeep/contract/safes";
import { findSafe, type Safe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";
import { waitUntil } from "../wait.ts";

/** The Safe once it has left `statuses`, or as it is when the request that began at `startedMs` has to be answered. */
export async function waitWhile(
  ctx: UserContext,
  safeId: string,
  statuses: readonly SafeStatus[],
  startedMs: number,
): Promise<Safe> {
  let safe = await getSafe(ctx, safeId);
  await waitUntil(ctx, null, startedMs, async () => {
    safe = await getSafe(ctx, safeId);
    return statuses.includes(safe.status) ? null : safe;
  });
  return safe;
}

async function getSafe(ctx: UserContext, safeId: string): Promise<Safe> {
  const safe = await findSafe(ctx.db, safeId);
  if (!safe) throw new Error(`Safe ${safeId} has no row`);
  return safe;
}
