/** The two ways into the provider's verification. */
import { fail } from "@cardkeep/contract/errors";
import { findUser, type User } from "@cardkeep/db/queries/users";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import type { UserContext } from "../context.ts";
import { askProvider } from "./askProvider.ts";

const sdkTokenTtlSeconds = 600;

interface Input {
  language?: string | undefined;
  lang?: string | undefined;
}

/** A link to the provider's hosted flow. @throws kyc.already_approved, kyc.provider_unavailable */
export async function webLink(ctx: UserContext, input: Input): Promise<{ type: "PROVIDER_WEB"; url: string }> {
  const user = await getApplicantUser(ctx);
  const language = input.language ?? input.lang;
  const { url } = await askProvider(
    ctx.kyc.createWebLink({ userId: user.id, email: user.email, ...(language && { language }) }),
  );
  if (!isSafeLink(url, ctx)) refuseAnswer("The identity provider answered a link that is not https");
  return { type: "PROVIDER_WEB", url };
}

/** A token for the provider's SDK, which opens in the language asked for. @throws kyc.already_approved, kyc.provider_unavailable */
export async function sdkToken(
  ctx: UserContext,
  input: Input,
): Promise<{ type: "PROVIDER_SDK"; token: string; userId: string }> {
  const user = await getApplicantUser(ctx);
  const language = input.language ?? input.lang;
  const granted = await askProvider(
    ctx.kyc.createSdkToken({
      userId: user.id,
      email: user.email,
      ttlSeconds: sdkTokenTtlSeconds,
      ...(language && { language }),
    }),
  );
  if (granted.userId !== user.id) refuseAnswer("The identity provider answered a token for another user");
  return { type: "PROVIDER_SDK", ...granted };
}

/** Clients open the link: https alone, and in the sandbox the sandbox's own page. */
function isSafeLink(link: string, { rules }: UserContext): boolean {
  const { protocol, hostname } = new URL(link);
  return protocol === "https:" || (rules.testCallbacks && protocol === "http:" && hostname === "localhost");
}

const refuseAnswer = (text: string): never =>
  fail("kyc.provider_unavailable", { cause: new ProviderUnavailable(text) });

async function getApplicantUser(ctx: UserContext): Promise<User> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.unauthorized");
  if (user.kycStatus === "approved") fail("kyc.already_approved");
  return user;
}
