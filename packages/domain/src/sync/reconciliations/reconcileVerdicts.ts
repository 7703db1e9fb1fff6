import { hastenKycChecks } from "@cardkeep/db/queries/verification/kyc";
import type { Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { WorkerContext } from "../../core/context.ts";
import { checkAllVerdicts } from "../../verification/kyc/checkVerdicts.ts";

/**
 * Asks the identity provider about all people at once. Killed and run again, it goes on with the checks that have had no
 * answer since the reconciliation began.
 */
export async function reconcileVerdicts(ctx: WorkerContext, { startedAt }: Reconciliation): Promise<void> {
  await ctx.commit(({ tx, now }) => hastenKycChecks(tx, { since: startedAt, now }));
  await checkAllVerdicts(ctx);
}
