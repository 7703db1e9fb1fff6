import type { Safe } from "@cardkeep/db/queries/safes";
import type { Context } from "../context.ts";
import { integrityStatuses, readAccountState } from "../integrity/accountState.ts";

/** Whether the account is on chain as it was set up, with something queued or not, and no violation stands. */
export async function isAccountWhole(ctx: Context, safe: Safe): Promise<boolean> {
  const { status, isChanged } = await readAccountState(ctx, safe);
  return !isChanged && (status === integrityStatuses.ok || status === integrityStatuses.queueNotEmpty);
}
