import type { SafeStatus } from "@cardkeep/contract/safes";
import { findNewestSafe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";

type DeploymentStatus = "ok" | "not_deployed" | "processing" | "failed";

/** A Safe of the older way that waits for its owner's signature is `not_deployed`: no job works on it. */
const statuses: Readonly<Record<Exclude<SafeStatus, "reset">, DeploymentStatus>> = {
  processing: "processing",
  created: "not_deployed",
  settingUp: "processing",
  ok: "ok",
  failed: "failed",
};

/** How far the deployment of the user's Safe is; `not_deployed` when it was never asked for. */
export async function getDeployment(ctx: UserContext): Promise<{ status: DeploymentStatus; updatedAt?: Date }> {
  const safe = await findNewestSafe(ctx.db, ctx.actor.userId);
  return safe && safe.status !== "reset"
    ? { status: statuses[safe.status], updatedAt: safe.updatedAt }
    : { status: "not_deployed" };
}
