import type { Address } from "@cardkeep/contract/primitives";
import type { Commit, UserContext } from "../context.ts";
import type { DelayedTransaction } from "../delays/resource.ts";
import type { OperationSignature } from "../delays/submit.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { planAddition, submitChange } from "./change.ts";

/**
 * Accepts a new owner that an owner of the user's Safe signed for; it may move funds once the cooldown is over.
 *
 * @throws safes.not_found, owners.unsuitable, owners.already_owner, delays.message_mismatch, delays.invalid_signature,
 *   delays.already_submitted, delays.refused, owners.change_open, delays.quota_exceeded
 */
export async function addOwner(
  ctx: UserContext,
  input: { newOwner: Address } & OperationSignature,
): Promise<Commit<{ data: DelayedTransaction }>> {
  const safe = await getActiveSafe(ctx);
  return submitChange(ctx, safe, () => planAddition(ctx, safe, input.newOwner), input);
}
