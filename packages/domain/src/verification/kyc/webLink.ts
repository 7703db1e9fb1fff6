/** The two ways into the provider's verification. */
import { fail } from "@cardkeep/contract/core/errors";
import { realEmail } from "@cardkeep/contract/users/placeholderEmail";
import { findKycApplication, restartKycChecks } from "@cardkeep/db/queries/verification/kyc";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { askInTime } from "../../core/askInTime.ts";
import type { UserContext } from "../../core/context.ts";
import { nextCheckAt } from "../../core/nextCheckAt.ts";
import { discloseIdentity, withdrawDisclosure } from "../../core/records/discloseIdentity.ts";

const sdkTokenTtlSeconds = 600;

interface Input {
  language?: string | undefined;
  lang?: string | undefined;
}

/** A link to the provider's hosted flow, in the language asked for, else in the user's. @throws kyc.already_approved, kyc.provider_unavailable */
export async function webLink(ctx: UserContext, input: Input): Promise<{ type: "PROVIDER_WEB"; url: string }> {
  const user = await getApplicantUser(ctx);
  const language = input.language ?? input.lang ?? user.language;
  const { url } = await askProvider(
    ctx.kyc.createWebLink({ userId: user.id, email: realEmail(user.email), ...(language && { language }) }),
  );
  if (!isSafeLink(url, ctx)) refuseAnswer("The identity provider answered a link that is not https");
  return { type: "PROVIDER_WEB", url };
}

/** A token for the provider's SDK, which opens in the language asked for, else in the user's. @throws kyc.already_approved, kyc.provider_unavailable */
export async function sdkToken(
  ctx: UserContext,
  input: Input,
): Promise<{ type: "PROVIDER_SDK"; token: string; userId: string }> {
  const user = await getApplicantUser(ctx);
  const language = input.language ?? input.lang ?? user.language;
  const granted = await askProvider(
    ctx.kyc.createSdkToken({
      userId: user.id,
      email: realEmail(user.email),
      ttlSeconds: sdkTokenTtlSeconds,
      ...(language && { language }),
    }),
  );
  if (granted.userId !== user.id) refuseAnswer("The identity provider answered a token for another user");
  return { type: "PROVIDER_SDK", ...granted };
}

/** Clients open the link: https alone, and in the sandbox the sandbox's own page. */
function isSafeLink(link: string, { policy }: UserContext): boolean {
  const { protocol, hostname } = new URL(link);
  return protocol === "https:" || (policy.testCallbacks && protocol === "http:" && hostname === "localhost");
}

const refuseAnswer = (text: string): never =>
  fail("kyc.provider_unavailable", { cause: new ProviderUnavailable(text) });

async function getApplicantUser(ctx: UserContext): Promise<User> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.token_invalid");
  if (user.kycStatus === "approved") fail("kyc.already_approved");
  await countRequest(ctx);
  // The rotation may have forgotten a person who begins late, and the callback of the verdict may be lost.
  await ctx.prepare(({ tx, now }) => restartKycChecks(tx, { userId: user.id, dueAt: nextCheckAt(ctx.policy, now) }));
  return user;
}

/** Else one person uses up what the provider takes of all people together. @throws request.rate_limited */
const countRequest = ({ rateLimits, policy, actor }: UserContext): void | Promise<void> =>
  rateLimits.take(policy.quotas.kyc, actor.userId);

const ttlSecondsDefault = 600;

/** Refusals of the client that is named; others, such as 401 and 403, are of our own account. */
const clientRefusals: readonly number[] = [400, 404];

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
    forClientId ?? ctx.policy.kycShareClientId ?? fail("request.invalid", { text: "forClientId is missing" });
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.token_invalid");
  if (user.kycStatus !== "approved") fail("kyc.not_approved");
  const application = (await findKycApplication(ctx.db, user.id)) ?? fail("kyc.not_approved");
  await countRequest(ctx);
  const receiver = `partner:${client}` as const;
  const at = await discloseIdentity(ctx, user.id, receiver);
  const granted = ctx.kyc.createShareToken({
    applicantId: application.applicantId,
    forClientId: client,
    ttlSeconds: ttlInSecs ?? ttlSecondsDefault,
  });
  return askProvider(
    granted.catch(async (cause: unknown) => {
      if (!(cause instanceof ProviderRefused)) throw cause;
      // Else a person could fill the record with names of no partner.
      await withdrawDisclosure(ctx, user.id, { receiver, at });
      if (!clientRefusals.includes(cause.status)) throw cause;
      return fail("kyc.share_refused", { cause });
    }),
  );
}

/** The identity provider's answer, in time. Its own error text is kept back. @throws kyc.provider_unavailable */
const askProvider = <T>(answer: Promise<T>): Promise<T> =>
  askInTime(answer, { partner: "The identity provider", code: "kyc.provider_unavailable" });
