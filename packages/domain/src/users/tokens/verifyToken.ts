import type { TokenError } from "@cardkeep/contract/core/errorCatalogue";
import { findValidToken, recordTokenUse } from "@cardkeep/db/queries/users/tokens";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import type { WalletActor } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { isTokenText } from "./tokenText.ts";

/** A use is written at most this often. */
const useEveryMs = 60_000;

/**
 * The user of a token that works, with its grant. Nothing is remembered between requests, so a revocation counts at once
 * on every server; a token of a deactivated user does not work.
 */
export async function verifyToken(ctx: Context, bearer: string): Promise<WalletActor | TokenError> {
  const { db, clock } = ctx;
  // A mistyped or invented one costs no query.
  if (!isTokenText(bearer)) return "auth.token_invalid";
  const found = await findValidToken(db, hashSecret(bearer));
  if (!found) return "auth.token_invalid";
  const { id, userId, scopes, madeBy, usedAt } = found;
  const now = await clock.now(db);
  const before = new Date(now.getTime() - useEveryMs);
  if (usedAt === null || usedAt < before) {
    await recordTokenUse(db, { id, now, before }).catch((error: unknown) =>
      ctx.log.warn({ err: error, tokenId: id }, "the use of a token was not recorded"),
    );
  }
  return { signerAddress: madeBy, userId, grant: { tokenId: id, scopes } };
}
