import { findTokenForCountry } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/errors";
import { defaultDailyLimit } from "@cardkeep/contract/safes";
import { findNewestSafe } from "@cardkeep/db/queries/safes";
import { lockUser } from "@cardkeep/db/queries/users";
import type { UserContext } from "../context.ts";
import { openSafe } from "./open.ts";

/**
 * Accepts the deployment of the user's Safe; a worker carries it out.
 *
 * Asked again while one is under way it starts nothing. A Safe of the older way counts as one, set up or not.
 *
 * @throws safes.kyc_required, safes.already_exists
 */
export async function deploy(
  ctx: UserContext,
  input: { dailyLimit?: number | undefined },
): Promise<{ status: "accepted" }> {
  const { userId, signerAddress } = ctx.actor;
  return ctx.commit(async (work) => {
    const user = (await lockUser(work.tx, userId)) ?? fail("auth.unauthorized");
    if (user.kycStatus !== "approved") fail("safes.kyc_required");
    const newest = await findNewestSafe(work.tx, userId);
    if (newest?.status === "processing" && newest.setUpBy === "operator") return { status: "accepted" };
    if (newest && newest.status !== "failed") fail("safes.already_exists");
    await openSafe(ctx, work, {
      userId,
      firstOwner: signerAddress,
      setUpBy: "operator",
      token: findTokenForCountry(user.country ?? ""),
      dailyLimit: input.dailyLimit ?? defaultDailyLimit,
    });
    return { status: "accepted" };
  });
}
