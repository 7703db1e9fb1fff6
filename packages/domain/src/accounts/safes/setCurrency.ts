import { findTokenForCountry, toBaseUnits, type TokenSymbol } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { defaultDailyLimit } from "@cardkeep/contract/accounts/safes";
import { findNewestSafe, hasCurrency, lockSafe, updateSafe } from "@cardkeep/db/queries/accounts/safes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { Commit, UserContext } from "../../core/context.ts";
import { saltOf } from "../../core/safeAccount.ts";
import { publish } from "../../core/publish.ts";

/**
 * Gives a Safe of the older way the currency of its user's country, and answers it.
 *
 * A Safe that is set up, or is being set up, keeps its currency.
 *
 * @throws safes.kyc_required, safes.not_found
 */
export async function setCurrency(ctx: UserContext): Promise<Commit<{ tokenSymbol: TokenSymbol }>> {
  const { userId } = ctx.actor;
  return async (work) => {
    const { tx, now } = work;
    const user = (await lockUser(tx, userId)) ?? fail("auth.token_invalid");
    if (user.kycStatus !== "approved") fail("safes.kyc_required");
    const newest = await findNewestSafe(tx, userId);
    const safe = newest && (await lockSafe(tx, newest.id));
    if (!safe || safe.status === "failed" || safe.status === "reset") fail("safes.not_found");
    const token = findTokenForCountry(user.country ?? "");
    const isOpen = safe.setUpBy === "user" && (safe.status === "processing" || safe.status === "created");
    if (hasCurrency(safe) && (!isOpen || safe.tokenSymbol === token.symbol)) return { tokenSymbol: safe.tokenSymbol };
    const change = { tokenSymbol: token.symbol, dailyLimit: toBaseUnits(defaultDailyLimit, token) };
    await updateSafe(tx, safe.id, { ...change, updatedAt: now });
    await publish(work, "safe.currency.updated", userId, {
      ...safe,
      ...change,
      salt: saltOf(safe),
      chainId: String(ctx.policy.chainId),
    });
    return { tokenSymbol: token.symbol };
  };
}
