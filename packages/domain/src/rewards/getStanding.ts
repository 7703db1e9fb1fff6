/** Where a user stands in the operator's cashback programme, as the chain has it now. */
import { toDecimal } from "@cardkeep/chain/tokens";
import { findActiveSafe } from "@cardkeep/db/queries/safes";
import { listSignInWallets } from "@cardkeep/db/queries/users";
import type { UserContext } from "../context.ts";

export interface Standing {
  isOg: boolean;
  /** Whole tokens, decimal. */
  balance: string;
  /** Per cent, without a bonus. */
  rate: number;
  weeklyCapUsd: number;
}

const none: Standing = { isOg: false, balance: "0", rate: 0, weeklyCapUsd: 0 };

/** Nothing without a programme; nothing but a cap and perhaps the badge without a Safe. */
export async function getStanding(ctx: UserContext): Promise<Standing> {
  const programme = ctx.rules.cashback;
  if (!programme) return none;
  const { token, badge, tiers, weeklyCapUsd } = programme;
  const safe = await findActiveSafe(ctx.db, ctx.actor.userId);
  // A badge in a wallet that never signed may be another person's.
  const wallets = (await listSignInWallets(ctx.db, ctx.actor.userId)).filter(({ provenAt }) => provenAt !== null);
  const holders = [...(safe ? [safe.address] : []), ...wallets.map(({ address }) => address)];
  const [decimals, balance, ...badges] = await Promise.all([
    ctx.chain.getTokenDecimals(token),
    safe ? ctx.chain.getTokenBalance(token, safe.address) : 0n,
    ...(badge === null ? [] : holders.map((holder) => ctx.chain.getTokenBalance(badge, holder))),
  ]);
  const whole = toDecimal(balance, { decimals });
  const reached = tiers.filter(({ tokens }) => Number(whole) >= tokens).map(({ percent }) => percent);
  return { isOg: badges.some((count) => count > 0n), balance: whole, rate: Math.max(0, ...reached), weeklyCapUsd };
}
