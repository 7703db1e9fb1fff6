import type { OauthState } from "@cardkeep/db/queries/ibans";
import type { Context } from "../context.ts";
import { SecretUnreadable } from "../secrets/secrets.ts";

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
