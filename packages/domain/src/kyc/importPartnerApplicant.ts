import { fail } from "@cardkeep/contract/errors";
import { findKycApplication } from "@cardkeep/db/queries/kyc";
import { findUser } from "@cardkeep/db/queries/users";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { UserContext } from "../context.ts";
import { askProvider } from "./askProvider.ts";

const ttlSecondsDefault = 600;

/**
 * A token with which a partner, itself a client of the identity provider, copies the user's verified file, once.
 *
 * @throws request.invalid when no partner is named and none is set, kyc.not_approved, kyc.share_refused when the
 * provider knows no such partner or no agreement with it, kyc.provider_unavailable
 */
export async function importPartnerApplicant(
  ctx: UserContext,
  { forClientId, ttlInSecs }: { forClientId?: string | undefined; ttlInSecs?: number | undefined },
): Promise<{ token: string; forClientId: string }> {
  const client =
    forClientId ?? ctx.rules.kycShareClientId ?? fail("request.invalid", { text: "forClientId is missing" });
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.unauthorized");
  if (user.kycStatus !== "approved") fail("kyc.not_approved");
  const application = (await findKycApplication(ctx.db, user.id)) ?? fail("kyc.not_approved");
  const granted = ctx.kyc.createShareToken({
    applicantId: application.applicantId,
    forClientId: client,
    ttlSeconds: ttlInSecs ?? ttlSecondsDefault,
  });
  return askProvider(
    granted.catch((cause: unknown) => {
      if (cause instanceof ProviderRefused) fail("kyc.share_refused", { cause });
      throw cause;
    }),
  );
}
