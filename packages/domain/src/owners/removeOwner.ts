import type { Address } from "@cardkeep/contract/primitives";
import type { Commit, UserContext } from "../context.ts";
import type { DelayedTransaction } from "../delays/resource.ts";
import type { OperationSignature } from "../delays/submit.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { planRemoval, submitChange } from "./change.ts";

/**
 * Accepts the removal of an owner that an owner of the user's Safe signed for; it happens after the cooldown.
 *
 * @throws safes.not_found, owners.not_owner, owners.last, delays.message_mismatch, delays.invalid_signature,
 *   delays.already_submitted, delays.refused, owners.change_open, delays.quota_exceeded
 */
export async function removeOwner(
  ctx: UserContext,
  input: { ownerToRemove: Address } & OperationSignature,
): Promise<Commit<{ data: DelayedTransaction }>> {
  const safe = await getActiveSafe(ctx);
  return submitChange(ctx, safe, () => planRemoval(ctx, safe, input.ownerToRemove), input);
}
