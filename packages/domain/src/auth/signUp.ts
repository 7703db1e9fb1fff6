import { ttl } from "@cardkeep/contract/auth";
import { fail } from "@cardkeep/contract/errors";
import { findPartner } from "@cardkeep/db/queries/partners";
import { insertUser } from "@cardkeep/db/queries/users";
import { checkCode } from "../codes/check.ts";
import { emailCodes } from "../codes/policy.ts";
import type { WalletContext } from "../context.ts";
import { publish } from "../events.ts";
import { generateId } from "../ids.ts";
import { getUserResource } from "../users/user.ts";

/**
 * Creates the user of the signed-in wallet, which becomes the first sign-in wallet, and answers a token that names both.
 *
 * An unknown referral code is stored and means nothing.
 *
 * @throws auth.unknown_partner, auth.invalid_otp, auth.already_registered
 */
export async function signUp(
  ctx: WalletContext,
  input: {
    authEmail: string;
    otp?: string | undefined;
    referralCouponCode?: string | undefined;
    marketingCampaign?: string | undefined;
    partnerId?: string | undefined;
  },
): Promise<{ id: string; token: string; hasSignedUp: boolean }> {
  const { signerAddress } = ctx.actor;
  if (input.partnerId !== undefined && (await findPartner(ctx.db, input.partnerId)) === null)
    fail("auth.unknown_partner");
  const address = input.authEmail.toLowerCase();
  const useOtp =
    input.otp === undefined
      ? null
      : await checkCode(ctx, emailCodes, { subject: address, receiver: address }, input.otp);
  if (input.otp !== undefined && useOtp === null) fail("auth.invalid_otp");

  const userId = generateId();
  const walletId = generateId();
  await ctx.commit(async (work) => {
    const { tx, now } = work;
    if (useOtp !== null && !(await useOtp(tx, now))) fail("auth.invalid_otp");
    const user = {
      id: userId,
      email: input.authEmail,
      kycStatus: "notStarted",
      partnerId: input.partnerId ?? null,
      referralCouponCode: input.referralCouponCode ?? null,
      marketingCampaign: input.marketingCampaign ?? null,
      createdAt: now,
    } as const;
    const wallet = { id: walletId, userId, address: signerAddress, createdAt: now };
    if (!(await insertUser(tx, user, wallet))) fail("auth.already_registered");
    await publish(work, "user.created", userId, await getUserResource(tx, userId, ctx.rules.chainId));
  });
  const token = await ctx.accessTokens.sign({
    signerAddress,
    wallet: { id: walletId, userId },
    chainId: ctx.rules.chainId,
    ttlSeconds: ttl.default,
  });
  return { id: userId, token, hasSignedUp: true };
}
