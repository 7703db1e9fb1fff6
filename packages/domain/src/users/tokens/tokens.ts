/** Tokens with which programs of a user read, as the user makes and revokes them. */
import { fail } from "@cardkeep/contract/core/errors";
import type { TokenScope } from "@cardkeep/contract/core/scopes";
import { tokensMax, type TokenStatus } from "@cardkeep/contract/users/tokens";
import {
  countTokens,
  endReportedToken,
  endToken,
  insertToken,
  isFuture,
  type ListedToken,
  listTokens,
} from "@cardkeep/db/queries/users/tokens";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import type { Commit, CommitContext, UserContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { lockActor } from "../../core/lockActor.ts";
import { notify } from "../../core/messages/notify.ts";
import { generateToken, isTokenText } from "./tokenText.ts";

interface ShownToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/**
 * Makes a token; its text is in this answer alone. The user gets a warning: a thief of an access token would keep the account's data.
 *
 * @throws tokens.past_expiry, tokens.too_many, auth.token_invalid when the wallet's sign-in ended meanwhile
 */
export async function createToken(
  ctx: UserContext & CommitContext,
  input: { name: string; scopes: TokenScope[]; expiresAt?: Date | null | undefined },
): Promise<ShownToken & { token: string }> {
  const { userId, signerAddress } = ctx.actor;
  const { name, expiresAt = null } = input;
  const token = generateToken();
  return ctx.commit(async (work) => {
    const { tx, now } = work;
    // Removals of wallets take the same lock: no token outlives the wallet that made it.
    await lockActor(tx, ctx.actor);
    if (expiresAt !== null && !(await isFuture(tx, expiresAt))) fail("tokens.past_expiry");
    if ((await countTokens(tx, userId)) >= tokensMax) fail("tokens.too_many");
    const shown = { id: generateId(), name, scopes: [...new Set(input.scopes)], createdAt: now, expiresAt };
    await insertToken(tx, { ...shown, userId, hash: hashSecret(token), madeBy: signerAddress, endsAt: expiresAt });
    await notify(work, { userId, what: "token", address: signerAddress, id: shown.id });
    return { ...shown, token };
  });
}

const statusOf = ({ token, isExpired }: ListedToken): TokenStatus => token.end ?? (isExpired ? "expired" : "active");

/** The user's tokens: those that work before those that ended, and the newest first. */
export async function listOwnTokens(
  ctx: UserContext,
): Promise<(ShownToken & { status: TokenStatus; lastUsedAt: Date | null })[]> {
  const listed = await listTokens(ctx.db, ctx.actor.userId);
  return listed.map((each) => {
    const { id, name, scopes, createdAt, expiresAt, usedAt } = each.token;
    return { id, name, scopes, createdAt, expiresAt, status: statusOf(each), lastUsedAt: usedAt };
  });
}

/** Revokes a token of the user. @throws tokens.not_found, also for another user's */
export async function revokeToken(ctx: UserContext, { id }: { id: string }): Promise<Commit<{ id: string }>> {
  const { userId } = ctx.actor;
  return async ({ tx, now }) => {
    if (!(await endToken(tx, { id, userId, now }))) fail("tokens.not_found");
    return { id };
  };
}

/** Ends a token for its finder, whose proof is the token. */
export async function reportToken(ctx: CommitContext, { token }: { token: string }): Promise<{ revoked: boolean }> {
  if (!isTokenText(token)) return { revoked: false };
  const ended = await ctx.commit(({ tx, now }) => endReportedToken(tx, hashSecret(token), now));
  if (ended) ctx.log.info({ tokenId: ended.id, userId: ended.userId }, "a token of a user was reported and ended");
  return { revoked: ended !== null };
}
