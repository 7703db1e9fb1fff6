/** Asks the OpenID provider again who the person of a session is. */
import {
  takeRefresh,
  endOpenSessions,
  makeRefreshesDue,
  type OperatorSession,
  renewSession,
} from "@cardkeep/db/queries/operators/sessions";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { type OpenidGrant, SignInRejected } from "@cardkeep/providers/openid/port";
import type { CommitContext } from "../../core/context.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import { listOperatorRoles } from "./listOperatorRoles.ts";

/** While the provider is away, sessions go on and it is asked once a minute. */
const retryMs = 60_000;

/**
 * Refreshes a session whose time has come, and answers it as it is now; null if the provider no longer knows the person, or
 * the person is in no group with a role. What it said of one session may hold for the person, so it is asked about the others of
 * that person at their next use.
 *
 * One request refreshes, because a provider may take a refresh token that is used twice for a stolen one. Others go on
 * with the groups that are stored.
 */
export async function refreshWhenDue(
  ctx: CommitContext,
  session: OperatorSession,
  now: Date,
): Promise<OperatorSession | null> {
  const { id, issuer, subject, refreshAt, sealedRefreshToken } = session;
  if (refreshAt === null || sealedRefreshToken === null || refreshAt > now) return session;
  if (!(await takeRefresh(ctx.db, { id, now, next: new Date(now.getTime() + retryMs) }))) return session;
  const grant = await askAgain(ctx, session, sealedRefreshToken);
  if (grant === "unavailable") return session;
  const groups = grant?.identity.groups ?? [];
  if (grant === null || listOperatorRoles(ctx.policy.operators, groups).length === 0) {
    ctx.log.warn({ session: id }, "the OpenID provider ended an operator's session");
    await ctx.commit(async ({ tx }) => {
      await endOpenSessions(tx, { choice: { id }, ending: "refused", now });
      if (issuer !== null) await makeRefreshesDue(tx, { issuer, subject, now });
    });
    return null;
  }
  const { name, mail } = grant.identity;
  return renewSession(ctx.db, id, {
    name,
    mail,
    groups,
    sealedRefreshToken: grant.refreshToken === null ? null : await ctx.secrets.seal(id, grant.refreshToken),
    refreshAt: grant.refreshToken === null ? null : new Date(now.getTime() + ctx.policy.operators.refreshMs),
  });
}

async function askAgain(
  ctx: CommitContext,
  { id, subject }: OperatorSession,
  sealed: string,
): Promise<OpenidGrant | "unavailable" | null> {
  if (ctx.openid === null) return null;
  try {
    return await ctx.openid.refresh({ refreshToken: await ctx.secrets.unseal(id, sealed), subject });
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      ctx.log.warn({ err: error, session: id }, "the OpenID provider does not answer; the session goes on");
      return "unavailable";
    }
    if (!(error instanceof SignInRejected || error instanceof SecretUnreadable)) throw error;
    ctx.log.warn({ err: error, session: id }, "an operator's session was not refreshed");
    return null;
  }
}
