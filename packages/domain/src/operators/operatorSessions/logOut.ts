import { type LogoutClaims, type OpenidProvider, SignInRejected } from "@cardkeep/providers/openid/port";
import type { CommitContext } from "../../core/context.ts";
import { endSessions } from "./sessions.ts";

/**
 * Ends the sessions that the OpenID provider's logout token names, and answers how many. A token with a session at
 * the provider ends those of it, and those of its person that name none. Null for a token that does not count.
 * @throws ProviderUnavailable
 */
export async function logOut(ctx: CommitContext, token: string): Promise<number | null> {
  if (ctx.openid === null) return null;
  const { issuer } = ctx.openid;
  const claims = await readToken(ctx, ctx.openid, token);
  if (claims === null) return null;
  const { subject, providerSession } = claims;
  const choice =
    providerSession === null ? { issuer, subject: subject ?? "" } : { issuer, providerSession, unnamedOf: subject };
  const ended = await endSessions(ctx, choice, "logged-out");
  ctx.log.info({ sessions: ended.map(({ id }) => id) }, "the OpenID provider ended sessions of operators");
  return ended.length;
}

async function readToken(ctx: CommitContext, openid: OpenidProvider, token: string): Promise<LogoutClaims | null> {
  try {
    return await openid.readLogoutToken(token);
  } catch (error) {
    if (!(error instanceof SignInRejected)) throw error;
    ctx.log.warn({ err: error }, "a logout token was refused");
    return null;
  }
}
