/** From requested to signed: deploys Safes, several of them in one transaction. */
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { WorkerContext } from "../../core/context.ts";
import { signDeployment, deploymentPurposes } from "./signDeployment.ts";
import { canShareDeployment, deployBatch } from "./deployBatch.ts";

/**
 * Signs a Safe's next transaction, unless one is under way or the chain already has its result.
 *
 * Contracts that strangers deployed at its addresses are left out, so that strangers cannot make the set-up fail for ever.
 */
export async function deploySafe(ctx: WorkerContext, input: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, input.safeId);
  if (!safe || !isUnderWay(safe) || (await hasOpenRelayTransaction(ctx.db, safe.id, deploymentPurposes))) return;
  return canShareDeployment(ctx, safe) ? deployBatch(ctx, safe) : signDeployment(ctx, safe);
}

const isUnderWay = ({ status }: Safe): boolean => status === "processing" || status === "settingUp";
