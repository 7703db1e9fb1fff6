/** The deprecated endpoints of the daily limit. */
import { buildModuleCall, parseEnqueue } from "@cardkeep/chain/delay";
import { expandEnqueue } from "@cardkeep/chain/signatures";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { Commit, UserContext } from "../../core/context.ts";
import { getActiveSafe } from "../../core/safeAccount.ts";
import { getDailyLimit } from "./getDailyLimit.ts";
import { buildLimitChange, submitLimitChange } from "./setDailyLimit.ts";

/** The daily limit and its unused part, in whole units. @throws safes.not_found */
export async function onchainDailyLimit(
  ctx: UserContext,
): Promise<{ data: { onchainDailyLimit: number; onchainDailyRemaining: number } }> {
  const { data } = await getDailyLimit(ctx);
  return { data: { onchainDailyLimit: data.dailyLimit, onchainDailyRemaining: data.dailyRemaining } };
}

/** The Safe's own call that sets the limit, as account-kit wraps and signs it. @throws safes.not_found */
export async function onchainDailyLimitData(
  ctx: UserContext,
  input: { onchainDailyLimit: number },
): Promise<{ data: { transaction: { to: Address; value: number; data: Hex } } }> {
  const safe = await getActiveSafe(ctx);
  const { to, value, data } = buildLimitChange(ctx, safe, input.onchainDailyLimit).call;
  return { data: { transaction: { to, value: Number(value), data } } };
}

/**
 * Accepts a daily limit whose `signature` is the whole calldata of the enqueue: message, salt and signature.
 *
 * @throws safes.not_found, delays.message_mismatch, delays.invalid_signature, delays.already_submitted, delays.refused,
 *   delays.quota_exceeded
 */
export async function setOnchainDailyLimit(
  ctx: UserContext,
  input: { onchainDailyLimit: number; signature: Hex },
): Promise<Commit<{ data: { requestedOnchainDailyLimit: number } }>> {
  const safe = await getActiveSafe(ctx);
  // Both forms of the call have the same length.
  const { call, operation } = buildLimitChange(ctx, safe, input.onchainDailyLimit);
  const enqueue = expandEnqueue(input.signature, buildModuleCall(call, operation));
  const { data, salt, signature, smartWallet } = parseEnqueue(enqueue) ?? fail("delays.invalid_signature");
  const authorization = { signature, message: { salt, data }, smartWalletAddress: smartWallet ?? undefined };
  return submitLimitChange(ctx, safe, input.onchainDailyLimit, authorization, () => ({
    data: { requestedOnchainDailyLimit: input.onchainDailyLimit },
  }));
}
