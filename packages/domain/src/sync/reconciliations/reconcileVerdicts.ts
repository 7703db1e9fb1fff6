import { hastenKycChecks } from "@cardkeep/db/queries/verification/kyc";
import type { Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { WorkerContext } from "../../core/context.ts";
import { checkAllVerdicts } from "../../verification/kyc/checkVerdicts.ts";

/** People of one commit. */
const batchSize = 1_000;

/**
 * Asks the identity provider about all people at once. Killed and run again, it goes on with the checks that have had no
 * answer since the reconciliation began.
 *
 * @throws ProviderUnavailable where the provider answers nothing
 */
export async function reconcileVerdicts(ctx: WorkerContext, { startedAt }: Reconciliation): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const from: string = after;
    after = await ctx.commit(({ tx, now }) =>
      hastenKycChecks(tx, { after: from, limit: batchSize, since: startedAt, now }),
    );
  }
  await checkAllVerdicts(ctx, startedAt);
}
