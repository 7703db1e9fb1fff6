import type { SafeTypedData } from "@cardkeep/chain/safeTransaction";
import { buildSetUp } from "@cardkeep/chain/setup";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { type CurrencySafe, findNewestSafe, hasCurrency, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { UserContext } from "../../core/context.ts";
import { configOf, findPresent } from "../../core/safeAccount.ts";
import { holdPlace } from "../../core/waits.ts";
import { wasUsedBefore } from "./usedBefore.ts";

/**
 * The typed data that the owner of a Safe of the older way signs for its set-up.
 *
 * @throws safes.not_found, safes.already_set_up, safes.not_deployed, safes.currency_missing, safes.already_used;
 *   server.unavailable where too many requests wait
 */
export async function signaturePayload(ctx: UserContext): Promise<SafeTypedData> {
  return holdPlace(ctx.waits, ctx.actor.userId, async () => {
    const safe = await getLiveSafe(ctx);
    if (safe.status === "ok") fail("safes.already_set_up");
    return buildPayload(ctx, await requireUnused(ctx, safe), ctx.policy.spenderAddress);
  });
}

/** The user's Safe, however far it is. @throws safes.not_found */
export async function getLiveSafe(ctx: UserContext): Promise<Safe> {
  const safe = await findNewestSafe(ctx.db, ctx.actor.userId);
  return safe && safe.status !== "failed" ? safe : fail("safes.not_found");
}

/**
 * The Safe, where a set-up of it can be signed.
 *
 * @throws safes.not_deployed, safes.currency_missing, safes.already_used
 */
export async function requireUnused(ctx: UserContext, safe: Safe): Promise<CurrencySafe> {
  if (safe.status === "processing") fail("safes.not_deployed");
  if (!hasCurrency(safe)) fail("safes.currency_missing");
  if (await wasUsedBefore(ctx, safe)) fail("safes.already_used");
  return safe;
}

/** The set-up that grants the spending role to `spender`. */
export const buildPayload = async (ctx: UserContext, safe: CurrencySafe, spender: Address): Promise<SafeTypedData> =>
  buildSetUp({
    safe: safe.address,
    creator: safe.creator,
    chainId: ctx.policy.chainId,
    owners: [safe.firstOwner],
    config: { ...configOf(ctx, safe), spender },
    present: await findPresent(ctx, safe),
  });
