/** How a Safe's row maps to the on-chain account it stands for. */
import type { AccountAddresses } from "@cardkeep/chain/predictAccount";
import type { AccountSnapshot } from "@cardkeep/chain/accountState";
import type { AccountConfig } from "@cardkeep/chain/accountConfig";
import { tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import {
  type CurrencySafe,
  findActiveSafe,
  findSafe,
  hasCurrency,
  type Safe,
} from "@cardkeep/db/queries/accounts/safes";
import type { Context, UserContext } from "./context.ts";
import type { Services } from "./services.ts";

/** Period of the daily limit, in seconds. */
export const allowancePeriodSeconds = 86_400;

/** The user's Safe in service. @throws safes.not_found */
export async function getActiveSafe(ctx: UserContext): Promise<CurrencySafe> {
  return (await findActiveSafe(ctx.db, ctx.actor.userId)) ?? fail("safes.not_found");
}

/** A Safe by its id, which has a currency: every Safe of a card has one. */
export async function getCurrencySafe({ db }: Pick<Context, "db">, safeId: string): Promise<CurrencySafe> {
  const safe = await findSafe(db, safeId);
  if (!safe || !hasCurrency(safe)) throw new Error(`Safe ${safeId} has no currency`);
  return safe;
}

/** The on-chain addresses of a Safe and its modules. */
export const addressesOf = (
  safe: Pick<Safe, "address" | "delayAddress" | "rolesAddress" | "bouncerAddress">,
): AccountAddresses => ({
  safe: safe.address,
  delay: safe.delayAddress,
  roles: safe.rolesAddress,
  bouncer: safe.bouncerAddress,
});

/** The Safe's salt as the API and its events publish it. */
export const saltOf = (safe: Safe): `0x${string}` => `0x${safe.saltNonce.toString(16).padStart(64, "0")}`;

/** The configuration of the account's set-up; the allowance's days begin at midnight UTC. */
export const configOf = (ctx: Context, safe: CurrencySafe): AccountConfig => ({
  token: tokens[safe.tokenSymbol].address,
  dailyLimit: safe.dailyLimit,
  periodSeconds: allowancePeriodSeconds,
  allowanceStartsAt: Math.floor(safe.createdAt.getTime() / 1000 / allowancePeriodSeconds) * allowancePeriodSeconds,
  cooldownSeconds: safe.cooldownSeconds,
  expirationSeconds: safe.expirationSeconds,
  spender: safe.spender,
  settlement: ctx.policy.settlementAddress,
});

/** Which of the account's parts have code already: strangers may have deployed them. */
export async function findPresent(ctx: Context, safe: Safe) {
  const { delay, roles, bouncer } = addressesOf(safe);
  const [hasSafe = false, hasDelay = false, hasRoles = false, hasBouncer = false] = await ctx.chain.hasCode([
    safe.address,
    delay,
    roles,
    bouncer,
  ]);
  return { safe: hasSafe, delay: hasDelay, roles: hasRoles, bouncer: hasBouncer };
}

/** The state of one Safe on chain, shared between concurrent requests. @throws ChainUnavailable, CallReverted */
export const getSnapshot = (
  { snapshots }: Pick<Services, "snapshots">,
  safe: Safe,
  messageHashes: readonly Hex[] = [],
): Promise<AccountSnapshot> =>
  snapshots.get({
    addresses: addressesOf(safe),
    token: safe.tokenSymbol && tokens[safe.tokenSymbol].address,
    cooldownSeconds: safe.cooldownSeconds,
    spender: safe.spender,
    messageHashes,
  });
