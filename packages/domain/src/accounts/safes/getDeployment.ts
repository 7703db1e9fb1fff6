import { fail } from "@cardkeep/contract/core/errors";
import type { SafeStatus } from "@cardkeep/contract/accounts/safes";
import { findDeployedSafe, findNewestSafe, findResetSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { UserContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { integrityStatuses, readAccountState } from "../integrity/readAccountState.ts";

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

/**
 * Which Safe the user had before and which one now.
 *
 * A user has one migration, named after the user. It has no status: nothing is moved by itself.
 *
 * @throws safes.unknown_migration
 */
export async function getMigration(ctx: UserContext, input: { migrationId?: string | undefined }) {
  const { userId } = ctx.actor;
  if (input.migrationId !== undefined && input.migrationId !== userId) fail("safes.unknown_migration");
  const chainId = String(ctx.policy.chainId);
  const [old, current] = await Promise.all([findResetSafe(ctx.db, userId), findDeployedSafe(ctx.db, userId)]);
  return {
    migrationId: userId,
    hasOldSafe: old !== null,
    ...(current && {
      newSafe: {
        address: current.address,
        chainId,
        ...(current.tokenSymbol && { tokenSymbol: current.tokenSymbol }),
      },
    }),
    ...(old && { oldSafe: { address: old.address, chainId, recordedAt: old.updatedAt } }),
  };
}

/** Whether the account is on chain as it was set up, with something queued or not, and no violation stands. */
export async function isAccountWhole(ctx: Services, safe: Safe): Promise<boolean> {
  const { status, isChanged } = await readAccountState(ctx, safe);
  return !isChanged && (status === integrityStatuses.ok || status === integrityStatuses.queueNotEmpty);
}
