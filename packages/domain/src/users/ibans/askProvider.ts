import { fail } from "@cardkeep/contract/core/errors";
import { findKycApplication } from "@cardkeep/db/queries/verification/kyc";
import type { Iban } from "@cardkeep/db/queries/users/ibans";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import pTimeout from "p-timeout";
import type { Context } from "../../core/context.ts";
import { discloseIdentity } from "../../core/records/discloseIdentity.ts";

const shareTtlSeconds = 600;
/** The time limit of a call. A person waits for several calls in a row. */
const answerMsMax = 4_500;

/** Makes the user's profile at the institution, with the file that the identity provider shares; again changes nothing. */
export async function openProfile(ctx: Context, row: Iban): Promise<"created" | "exists"> {
  return ctx.emoney.createProfile({
    profileId: row.profileId,
    shareFile: async () => {
      const application = await findKycApplication(ctx.db, row.userId);
      if (!application) throw new Error(`User ${row.userId} is verified without an application`);
      const forClientId = ctx.policy.emoney.shareClientId;
      const { applicantId } = application;
      await discloseIdentity(ctx, row.userId, "emoney");
      return (await ctx.kyc.createShareToken({ applicantId, forClientId, ttlSeconds: shareTtlSeconds })).token;
    },
  });
}

/** The institution's answer, in time. Its own error text is kept back. @throws ibans.provider_unavailable */
export async function askProvider<T>(answer: Promise<T>): Promise<T> {
  try {
    const message = new ProviderUnavailable("The e-money institution is slow");
    return await pTimeout(answer, { milliseconds: answerMsMax, message });
  } catch (cause) {
    if (cause instanceof ProviderUnavailable || cause instanceof ProviderRefused)
      fail("ibans.provider_unavailable", { cause });
    throw cause;
  }
}
