import { insertOauthState } from "@cardkeep/db/queries/ibans";
import type { User } from "@cardkeep/db/queries/users";
import type { Context, Work } from "../context.ts";
import { seal } from "../seal.ts";
import { generateSecret, hashState } from "./state.ts";

const lifetimeMs = 15 * 60_000;

/** Begins a consent of the user in the caller's commit, and answers where the person gives it; it serves once. */
export async function beginConsent(
  ctx: Context,
  { tx, now }: Work,
  { id: userId, email }: User,
  callbackUrl: string | undefined,
): Promise<string> {
  const [state, verifier] = [generateSecret(), generateSecret()];
  await insertOauthState(tx, {
    stateHash: hashState(state),
    userId,
    sealedVerifier: seal(ctx.rules, userId, verifier),
    callbackUrl: callbackUrl ?? ctx.rules.emoney.defaultCallbackUrl,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  });
  return ctx.emoney.buildConsentUrl({ redirectUri: ctx.rules.emoney.consentReturnUrl, state, verifier, email });
}
