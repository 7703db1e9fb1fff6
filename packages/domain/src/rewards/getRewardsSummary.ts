import type { UserContext } from "../context.ts";
import { getStanding } from "./getStanding.ts";

/** The user's rate in per cent; a client adds the badge's bonus itself. */
export async function getRewardsSummary(
  ctx: UserContext,
): Promise<{ isOg: boolean; gnoBalance: number; cashbackRate: number }> {
  const { isOg, balance, rate } = await getStanding(ctx);
  return { isOg, gnoBalance: Number(balance), cashbackRate: rate };
}
