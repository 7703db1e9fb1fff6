import { accrueAllowance, nextRefillAt } from "@cardkeep/chain/allowance";
import { tokens } from "@cardkeep/chain/tokens";
import { findDeployedSafe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";
import { addressesOf } from "./account.ts";

/** Integrity status of an account that is not there (api: AccountIntegrityStatus.SafeNotDeployed). */
const safeNotDeployed = 1;
const noAllowance = { balance: 0n, refill: 0n, period: "0", nextRefill: null };

/** The user's Safe as the chain has it now; a user without one gets an answer too. */
export async function config(ctx: UserContext) {
  const safe = await findDeployedSafe(ctx.db, ctx.actor.userId);
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
  const { status, allowance, timestamp } = await ctx.chain.getAccountIntegrity({
    addresses: addressesOf(safe),
    cooldownSeconds: safe.cooldownSeconds,
  });
  const refillAt = allowance && nextRefillAt(allowance, timestamp);
  return {
    hasNoApprovals: !allowance || (allowance.balance === 0n && allowance.refill === 0n),
    isDeployed: true,
    address: safe.address,
    tokenSymbol: safe.tokenSymbol,
    fiatSymbol: safe.tokenSymbol && tokens[safe.tokenSymbol].fiat,
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
