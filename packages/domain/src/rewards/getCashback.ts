import type { UserContext } from "../context.ts";
import { getStanding } from "./getStanding.ts";

/** What the badge adds to the rate, in per cent. */
const badgeBonus = 1;

/** The user's rate in per cent, the badge's bonus included, and the cap of a week. */
export async function getCashback(
  ctx: UserContext,
): Promise<{ isOg: boolean; gnoBalance: string; cashbackRate: number; weeklyCapUsd: number }> {
  const { isOg, balance, rate, weeklyCapUsd } = await getStanding(ctx);
  return { isOg, gnoBalance: balance, cashbackRate: rate + (isOg ? badgeBonus : 0), weeklyCapUsd };
}
