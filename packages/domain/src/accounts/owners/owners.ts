/** Owners of the user's Safe: adding, removing and listing them. */
import type { ModuleTypedData } from "@cardkeep/chain/delay";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Commit, UserContext } from "../../core/context.ts";
import { buildTypedData } from "../delays/rehearse.ts";
import type { DelayedTransaction } from "../delays/delayedTransaction.ts";
import type { OperationSignature } from "../delays/delayedOperation.ts";
import { getActiveSafe, getSnapshot } from "../../core/safeAccount.ts";
import { planAddition, planRemoval, submitChange } from "./submitChange.ts";

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

/**
 * The typed data whose signature by an owner adds exactly this one, once.
 *
 * @throws safes.not_found, owners.unsuitable, owners.already_owner
 */
export async function getOwnerAdditionData(
  ctx: UserContext,
  input: { newOwner: Address },
): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  return { data: buildTypedData(ctx, safe, await planAddition(ctx, safe, input.newOwner)) };
}

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

/**
 * The typed data whose signature by an owner removes exactly this one, once, while the owners stay as they are.
 *
 * @throws safes.not_found, owners.not_owner, owners.last
 */
export async function getOwnerRemovalData(
  ctx: UserContext,
  input: { ownerToRemove: Address },
): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  return { data: buildTypedData(ctx, safe, await planRemoval(ctx, safe, input.ownerToRemove)) };
}

/** The wallets that may move the Safe's funds, as the chain has them now, newest first. @throws safes.not_found */
export async function listOwners(ctx: UserContext): Promise<{ data: { owners: Address[] } }> {
  const safe = await getActiveSafe(ctx);
  const { owners } = await getSnapshot(ctx, safe);
  return { data: { owners: owners ?? (await ctx.chain.listOwners(safe.delayAddress)) } };
}
