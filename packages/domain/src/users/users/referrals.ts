import { countReferrals } from "@cardkeep/db/queries/users/users";
import { createHash } from "node:crypto";
import { reply, type Commit, type UserContext } from "../../core/context.ts";
import { getCashbackTier } from "../rewards/cashbackTier.ts";

/** Letters and digits that are not mistaken for each other; 32 of them, so that five bits choose one. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const codeLength = 12;

/** A user's code follows from the id: 60 bits, so two users do not share one. */
const codeOf = (userId: string): string =>
  [...createHash("sha256").update(`referrer:${userId}`).digest().subarray(0, codeLength)]
    .map((byte) => alphabet[byte & 31])
    .join("");

/** The user's code, the same each time. */
export async function referrerCode({
  actor: { userId },
}: UserContext): Promise<Commit<{ userId: string; referrerCode: string }>> {
  return reply({ userId, referrerCode: codeOf(userId) });
}

/** The sign-ups with the user's code so far. */
export async function referrals(
  ctx: UserContext,
): Promise<{ isOgTokenHolder: boolean; pendingReferrals: number; completedReferrals: number }> {
  const [{ isOg }, { all, completed }] = await Promise.all([
    getCashbackTier(ctx),
    countReferrals(ctx.db, codeOf(ctx.actor.userId)),
  ]);
  return { isOgTokenHolder: isOg, pendingReferrals: all - completed, completedReferrals: completed };
}
