import { accrueAllowance } from "@cardkeep/chain/allowance";
import { tokens, toWholeUnits } from "@cardkeep/chain/tokens";
import type { UserContext } from "../../core/context.ts";
import { getActiveSafe, getSnapshot } from "../../core/safeAccount.ts";

/**
 * The daily limit and its unused part at the chain's time, in whole units of the Safe's token.
 *
 * An account whose Roles module does not answer can spend nothing.
 *
 * @throws safes.not_found
 */
export async function getDailyLimit(
  ctx: UserContext,
): Promise<{ data: { dailyLimit: number; dailyRemaining: number } }> {
  const safe = await getActiveSafe(ctx);
  const { allowance, timestamp } = await (await getSnapshot(ctx, safe)).readIntegrity();
  if (!allowance) return { data: { dailyLimit: 0, dailyRemaining: 0 } };
  const token = tokens[safe.tokenSymbol];
  return {
    data: {
      dailyLimit: toWholeUnits(allowance.refill, token),
      dailyRemaining: toWholeUnits(accrueAllowance(allowance, timestamp), token),
    },
  };
}
