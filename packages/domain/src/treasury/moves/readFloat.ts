import { dayMs } from "@cardkeep/contract/core/durations";
import { type Token, tokens } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { sumOpenCredits, sumReturns } from "@cardkeep/db/queries/treasury/returns";
import type { Context } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";

/**
 * Base units of each token that stay in the settlement account: what went back to people in the past days is expected again,
 * returns under way leave first, and provisional credits may have to be paid.
 */
export async function readFloat(
  { policy }: Pick<Context, "policy">,
  on: Executor,
  now: Date,
): Promise<(token: Token) => bigint> {
  const since = new Date(now.getTime() - policy.treasuryFloatDays * dayMs);
  const [returns, credits] = await Promise.all([sumReturns(on, since), sumOpenCredits(on)]);
  return (token) => {
    const { returned, open } = returns(token.symbol);
    return returned + open + centsToBaseUnits(credits.get(token.fiat) ?? 0n, tokens[token.symbol]);
  };
}
