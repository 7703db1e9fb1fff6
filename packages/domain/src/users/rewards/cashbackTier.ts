/** Where a user stands in the operator's cashback programme, as the chain has it now. */
import { toDecimal } from "@cardkeep/chain/tokens";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import type { UserContext } from "../../core/context.ts";

export interface CashbackTier {
  isOg: boolean;
  /** Whole tokens, decimal. */
  balance: string;
  /** Per cent, without a bonus. */
  rate: number;
  weeklyCapUsd: number;
}

const none: CashbackTier = { isOg: false, balance: "0", rate: 0, weeklyCapUsd: 0 };

/** Nothing without a programme; nothing but a cap and perhaps the badge without a Safe. */
export async function getCashbackTier(ctx: UserContext): Promise<CashbackTier> {
  const programme = ctx.policy.cashback;
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

/** What the badge adds to the rate, in per cent. */
const badgeBonus = 1;

/** The user's rate in per cent, the badge's bonus included, and the cap of a week. */
export async function getCashback(
  ctx: UserContext,
): Promise<{ isOg: boolean; gnoBalance: string; cashbackRate: number; weeklyCapUsd: number }> {
  const { isOg, balance, rate, weeklyCapUsd } = await getCashbackTier(ctx);
  return { isOg, gnoBalance: balance, cashbackRate: rate + (isOg ? badgeBonus : 0), weeklyCapUsd };
}

/** The user's rate in per cent; a client adds the badge's bonus itself. */
export async function getRewardsSummary(
  ctx: UserContext,
): Promise<{ isOg: boolean; gnoBalance: number; cashbackRate: number }> {
  const { isOg, balance, rate } = await getCashbackTier(ctx);
  return { isOg, gnoBalance: Number(balance), cashbackRate: rate };
}
