/** Waiting inside a request for what the worker makes of a Safe. */
import type { SafeStatus } from "@cardkeep/contract/safes";
import { findSafe, type Safe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";

/** The request may take 10 s, what comes before and after the wait included. */
const waitMsMax = 9_500;
const askEveryMs = 200;

/** The Safe once it has left `statuses`, or as it is when the request that began at `startedMs` has to be answered. */
export async function waitWhile(
  ctx: UserContext,
  safeId: string,
  statuses: readonly SafeStatus[],
  startedMs: number,
): Promise<Safe> {
  for (;;) {
    const safe = await findSafe(ctx.db, safeId);
    if (!safe) throw new Error(`Safe ${safeId} has no row`);
    if (!statuses.includes(safe.status) || performance.now() - startedMs + askEveryMs > waitMsMax) return safe;
    await Bun.sleep(askEveryMs);
  }
}
