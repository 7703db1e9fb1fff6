/** How a Safe's row maps to the on-chain account it stands for. */
import type { AccountAddresses, AccountConfig } from "@cardkeep/chain/account";
import { tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/errors";
import { findActiveSafe, type Safe } from "@cardkeep/db/queries/safes";
import type { Context, UserContext } from "../context.ts";

const allowancePeriodSeconds = 86_400;

/** The user's Safe in service. @throws safes.not_found */
export async function getActiveSafe(ctx: UserContext): Promise<Safe> {
  return (await findActiveSafe(ctx.db, ctx.actor.userId)) ?? fail("safes.not_found");
}

export const addressesOf = (safe: Safe): AccountAddresses => ({
  safe: safe.address,
  delay: safe.delayAddress,
  roles: safe.rolesAddress,
  bouncer: safe.bouncerAddress,
});

/** What the account is set up with; the allowance's days begin at midnight UTC. */
export const configOf = (ctx: Context, safe: Safe): AccountConfig => ({
  token: tokens[safe.tokenSymbol].address,
  dailyLimit: safe.dailyLimit,
  periodSeconds: allowancePeriodSeconds,
  allowanceStartsAt: Math.floor(safe.createdAt.getTime() / 1000 / allowancePeriodSeconds) * allowancePeriodSeconds,
  cooldownSeconds: safe.cooldownSeconds,
  expirationSeconds: safe.expirationSeconds,
  spender: ctx.rules.spenderAddress,
  settlement: ctx.rules.settlementAddress,
});
