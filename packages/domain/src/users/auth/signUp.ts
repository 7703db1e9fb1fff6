import { ttl } from "@cardkeep/contract/users/auth";
import { fail } from "@cardkeep/contract/core/errors";
import { setKycCheck } from "@cardkeep/db/queries/verification/kyc";
import { findPartner } from "@cardkeep/db/queries/partners/partners";
import {
  findSignInWallet,
  findUserByEmail,
  insertUser,
  listSignInWallets,
  lockUsers,
  removeSignInWallet,
  type SignInWallet,
} from "@cardkeep/db/queries/users/users";
import { checkCode } from "../../core/codes/reserveCode.ts";
import { emailCodes } from "../../core/codes/policy.ts";
import type { CommitContext, WalletContext, Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { generateId } from "../../core/generateId.ts";
import { nextCheckAt } from "../../core/nextCheckAt.ts";
import { refuseStopped } from "../../operators/stops/refuseStopped.ts";
import { notifyOfRemoval } from "../signInWallets/addWallet.ts";
import { releaseEmail } from "../users/releaseEmail.ts";
import { getUserResource } from "../users/user.ts";

/**
 * Creates the user of the signed-in wallet, which becomes the first sign-in wallet, and answers a token that names both.
 *
 * An unknown referral code is stored and means nothing. A wallet that another user added leaves that user: the addition
 * carried no signature of it, the sign-up does. It stays only where that user has no other wallet to sign in with. In the
 * same way a mail address leaves a user who never proved it, where the sign-up proves it.
 *
 * @throws auth.unknown_partner, auth.invalid_otp, auth.already_registered, auth.sign_ups_stopped
 */
export async function signUp(
  ctx: WalletContext & CommitContext,
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
    await refuseStopped(tx, "sign-ups");
    if (useOtp !== null && !(await useOtp(tx, now))) fail("auth.invalid_otp");
    const bound = await findSignInWallet(tx, signerAddress);
    const added = bound?.isAdded === true ? bound : null;
    const holder = useOtp === null ? null : await findUserByEmail(tx, address);
    // Removals of wallets take the same lock: a user keeps one.
    await lockUsers(
      tx,
      [added?.userId, holder?.id].filter((id) => id !== undefined),
    );
    if (added !== null) await leaveFormerUser(ctx, work, added);
    if (holder !== null) await releaseEmail(ctx, work, { id: holder.id, address });
    const user = {
      id: userId,
      email: input.authEmail,
      emailProvenAt: useOtp === null ? null : now,
      kycStatus: "notStarted",
      partnerId: input.partnerId ?? null,
      referralCouponCode: input.referralCouponCode ?? null,
      marketingCampaign: input.marketingCampaign ?? null,
      language: ctx.languages.choose(ctx.acceptLanguage),
      createdAt: now,
    } as const;
    const wallet = { id: walletId, userId, address: signerAddress, provenAt: now, isAdded: false, createdAt: now };
    if (!(await insertUser(tx, user, wallet))) fail("auth.already_registered");
    await setKycCheck(tx, { userId, dueAt: nextCheckAt(ctx.policy, now) });
    await publish(work, "user.created", userId, await getUserResource(tx, userId, ctx.policy.chainId));
  });
  const token = await ctx.accessTokens.sign({
    signerAddress,
    wallet: { id: walletId, userId },
    chainId: ctx.policy.chainId,
    ttlSeconds: ttl.default,
  });
  return { id: userId, token, hasSignedUp: true };
}

/** Takes an added wallet away from the locked user who added it, unless it has to stay. */
async function leaveFormerUser(ctx: WalletContext, work: Work, added: SignInWallet): Promise<void> {
  const { tx, now, afterCommit } = work;
  const wallets = await listSignInWallets(tx, added.userId);
  const present = wallets.find(({ id }) => id === added.id);
  if (!present || !wallets.some(({ id, provenAt }) => id !== added.id && provenAt !== null)) return;
  if (await removeSignInWallet(tx, added.id, now)) afterCommit(() => ctx.accessTokens.end(added.id));
  await notifyOfRemoval(work, present);
}
