/** The two ways into the provider's verification. */
import { fail } from "@cardkeep/contract/errors";
import { findUser, type User } from "@cardkeep/db/queries/users";
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
  return { type: "PROVIDER_WEB", url };
}

/** A token for the provider's SDK, to which the app that holds it says the language. @throws kyc.already_approved, kyc.provider_unavailable */
export async function sdkToken(
  ctx: UserContext,
  _input: Input,
): Promise<{ type: "PROVIDER_SDK"; token: string; userId: string }> {
  const user = await getApplicantUser(ctx);
  const granted = await askProvider(
    ctx.kyc.createSdkToken({ userId: user.id, email: user.email, ttlSeconds: sdkTokenTtlSeconds }),
  );
  return { type: "PROVIDER_SDK", ...granted };
}

async function getApplicantUser(ctx: UserContext): Promise<User> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.unauthorized");
  if (user.kycStatus === "approved") fail("kyc.already_approved");
  return user;
}
