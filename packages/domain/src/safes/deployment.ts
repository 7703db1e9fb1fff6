import { findNewestSafe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";

/** How far the deployment of the user's Safe is; `not_deployed` when it was never asked for. */
export async function deployment(
  ctx: UserContext,
): Promise<{ status: "ok" | "not_deployed" | "processing" | "failed"; updatedAt?: Date }> {
  const safe = await findNewestSafe(ctx.db, ctx.actor.userId);
  return safe ? { status: safe.status, updatedAt: safe.updatedAt } : { status: "not_deployed" };
}
