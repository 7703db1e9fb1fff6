import { accrueAllowance, nextRefillAt } from "@cardkeep/chain/allowance";
import { tokens } from "@cardkeep/chain/tokens";
import { findActiveSafe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";
import { addressesOf } from "./account.ts";

/** Integrity status of an account that is not there (api: AccountIntegrityStatus.SafeNotDeployed). */
const safeNotDeployed = 1;
const noAllowance = { balance: 0n, refill: 0n, period: "0", nextRefill: null };

/** The user's Safe as the chain has it now; a user without one gets an answer too. */
export async function config(ctx: UserContext) {
  const safe = await findActiveSafe(ctx.db, ctx.actor.userId);
  if (!safe) {
    return {
      hasNoApprovals: true,
      isDeployed: false,
      address: null,
      tokenSymbol: null,
      fiatSymbol: null,
      accountStatus: safeNotDeployed,
      accountAllowance: noAllowance,
    };
  }
  const { status, allowance } = await ctx.chain.getAccountIntegrity({
    addresses: addressesOf(safe),
    cooldownSeconds: safe.cooldownSeconds,
  });
  const { timestamp } = await ctx.chain.getBlock();
  const refillAt = allowance && nextRefillAt(allowance, timestamp);
  return {
    hasNoApprovals: false,
    isDeployed: true,
    address: safe.address,
    tokenSymbol: safe.tokenSymbol,
    fiatSymbol: tokens[safe.tokenSymbol].fiat,
    accountStatus: status,
    accountAllowance: allowance
      ? {
          balance: accrueAllowance(allowance, timestamp),
          refill: allowance.refill,
          period: String(allowance.periodSeconds),
          nextRefill: refillAt === null ? null : String(refillAt),
        }
      : noAllowance,
  };
}
