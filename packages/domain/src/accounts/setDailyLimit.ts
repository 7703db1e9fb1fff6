import type { Commit, UserContext } from "../context.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "../delays/resource.ts";
import type { OperationSignature } from "../delays/submit.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { submitLimitChange } from "./limitChange.ts";

/**
 * Accepts a daily limit, in whole units, that an owner of the user's Safe signed; it is in force after the cooldown.
 *
 * @throws safes.not_found, delays.message_mismatch, delays.invalid_signature, delays.already_submitted, delays.refused,
 *   delays.quota_exceeded
 */
export async function setDailyLimit(
  ctx: UserContext,
  input: { newLimit: number } & OperationSignature,
): Promise<Commit<{ data: DelayedTransaction }>> {
  const safe = await getActiveSafe(ctx);
  return submitLimitChange(ctx, safe, input.newLimit, input, (row) => ({
    data: buildDelayedTransaction(row, safe.address, ctx.rules.transactionDataFormat),
  }));
}
