import { accrueAllowance, nextRefillAt } from "@cardkeep/chain/allowance";
import { tokens } from "@cardkeep/chain/tokens";
import { sumDebts } from "@cardkeep/db/queries/spending/debts";
import { findDeployedSafe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";
import { integrityStatuses, readAccountState } from "../integrity/accountState.ts";
import { findNotices } from "./findNotices.ts";

const noAllowance = { balance: 0n, refill: 0n, period: "0", nextRefill: null };

/** The user's Safe as the chain has it now; a user without one gets an answer too. */
export async function getSafeConfig(ctx: UserContext) {
  const { userId } = ctx.actor;
  const [safe, debts] = await Promise.all([findDeployedSafe(ctx.db, userId), sumDebts(ctx.db, userId)]);
  if (!safe) {
    return {
      hasNoApprovals: true,
      isDeployed: false,
      address: null,
      tokenSymbol: null,
      fiatSymbol: null,
      accountStatus: integrityStatuses.safeNotDeployed,
      accountAllowance: noAllowance,
      ...findNotices({ isChanged: false, debts }),
    };
  }
  const { status, allowance, timestamp, isChanged } = await readAccountState(ctx, safe);
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
    ...findNotices({ isChanged, debts }),
  };
}
