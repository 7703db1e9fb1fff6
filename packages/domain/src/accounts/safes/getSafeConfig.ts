import { accrueAllowance, nextRefillAt } from "@cardkeep/chain/allowance";
import { tokens } from "@cardkeep/chain/tokens";
import type { AccountNotice } from "@cardkeep/contract/accounts/safes";
import { findDeployedSafe } from "@cardkeep/db/queries/accounts/safes";
import { sumDebts, type TokenDebt } from "@cardkeep/db/queries/spending/debts";
import { formatDebt } from "../../core/wording.ts";
import type { UserContext } from "../../core/context.ts";
import { integrityStatuses, readAccountState } from "../integrity/readAccountState.ts";

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

/** Each standing problem of an account with what its user can do about it; no field at all while there are none. */
function findNotices({ isChanged, debts }: { isChanged: boolean; debts: readonly TokenDebt[] }): {
  notices?: AccountNotice[];
} {
  const notices: AccountNotice[] = [
    ...(isChanged ? [{ code: "account_changed", message: changed } as const] : []),
    ...(debts.length > 0 ? [{ code: "account_owes", message: describeDebts(debts) } as const] : []),
  ];
  return notices.length === 0 ? {} : { notices };
}

const changed =
  "The card is declined: a transaction in the account's queue changes more than balances, owners or the daily limit. " +
  "If it has not been executed yet, let it expire and the card works again. If it has been executed, withdraw your money, " +
  "reset the account and deploy a new one.";

const describeDebts = (debts: readonly TokenDebt[]): string =>
  `The card is declined: ${debts.map(formatDebt).join(" and ")} of earlier card payments did not leave the account. ` +
  "Send that amount to the account. It is collected when it arrives, within the daily limit, and the card works again.";
