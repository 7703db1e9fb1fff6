import { insertOauthState, type OauthState } from "@cardkeep/db/queries/users/ibans";
import type { User } from "@cardkeep/db/queries/users/users";
import { publicUrlOf } from "../../core/publicUrl.ts";
import type { Context, Work } from "../../core/context.ts";
import { generateSecret, hashSecret } from "../../core/secrets/randomSecret.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";

const lifetimeMs = 15 * 60_000;

/**
 * Begins a consent of the user in the caller's commit, and answers where the person gives it; it serves once.
 *
 * A user who signed up with another person's mail address must not lead that person to the consent page. So a user whose
 * address is unproven first gets a page of ours, which asks for a mailed code.
 */
export async function beginConsent(
  ctx: Context,
  { tx, now }: Work,
  user: User,
  callbackUrl: string | undefined,
): Promise<string> {
  const [state, verifier] = [generateSecret(), generateSecret()];
  await insertOauthState(tx, {
    stateHash: hashSecret(state),
    userId: user.id,
    sealedVerifier: await ctx.secrets.seal(user.id, verifier),
    callbackUrl: callbackUrl ?? ctx.policy.emoney.defaultCallbackUrl,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  });
  if (user.emailProvenAt !== null) return buildConsentUrl(ctx, user, { state, verifier });
  return publicUrlOf(ctx.policy.publicUrl, `${emailPagePath}?${new URLSearchParams({ state })}`);
}

/** Path of the page that asks for the mailed code. */
export const emailPagePath = "/callbacks/monerium/email";

/** The institution's consent page for a consent under way. */
export const buildConsentUrl = (
  { emoney, policy }: Context,
  { email }: User,
  { state, verifier }: { state: string; verifier: string },
): string => emoney.buildConsentUrl({ redirectUri: policy.emoney.consentReturnUrl, state, verifier, email });

/** The verifier of a consent; null, and an error in the log, where it cannot be opened: the person begins a new consent. */
export async function openVerifier(ctx: Context, { userId, sealedVerifier }: OauthState): Promise<string | null> {
  try {
    return await ctx.secrets.unseal(userId, sealedVerifier);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    ctx.log.error({ err: error, userId }, "the verifier of an e-money consent cannot be opened");
    return null;
  }
}
