import { findKycApplication } from "@cardkeep/db/queries/verification/kyc";
import type { Iban } from "@cardkeep/db/queries/users/ibans";
import { askInTime } from "../../core/askInTime.ts";
import type { Context } from "../../core/context.ts";
import { discloseIdentity } from "../../core/records/discloseIdentity.ts";

const shareTtlSeconds = 600;

/**
 * Makes the user's profile at the institution, with the file that the identity provider shares; again changes nothing. One
 * person must not use up what the provider takes of all people together.
 *
 * @throws request.rate_limited where a file is needed and the person asked the provider too often
 */
export async function openProfile(ctx: Context, row: Iban): Promise<"created" | "exists"> {
  return ctx.emoney.createProfile({
    profileId: row.profileId,
    shareFile: async () => {
      const application = await findKycApplication(ctx.db, row.userId);
      if (!application) throw new Error(`User ${row.userId} is verified without an application`);
      const forClientId = ctx.policy.emoney.shareClientId;
      const { applicantId } = application;
      await ctx.rateLimits.take(ctx.policy.quotas.kyc, row.userId);
      await discloseIdentity(ctx, row.userId, "emoney");
      return (await ctx.kyc.createShareToken({ applicantId, forClientId, ttlSeconds: shareTtlSeconds })).token;
    },
  });
}

/** The institution's answer, in time. Its own error text is kept back. @throws ibans.provider_unavailable */
export const askInstitution = <T>(answer: Promise<T>): Promise<T> =>
  askInTime(answer, { partner: "The e-money institution", code: "ibans.provider_unavailable" });
