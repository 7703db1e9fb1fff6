import { parseSignInMessage, type SignInMessage } from "@cardkeep/chain/siwe";
import { ttl } from "@cardkeep/contract/users/auth";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { consumeNonce, insertNonce } from "@cardkeep/db/queries/core/codes";
import { findSignInWallet, proveSignInWallet, type SignInWallet } from "@cardkeep/db/queries/users/users";
import { randomBytes } from "node:crypto";
import type { CommitContext, Context } from "../../core/context.ts";
import { notify } from "../../core/messages/notify.ts";
import { isSignInDomain } from "../../partners/partners/getPartner.ts";

const issuedAheadMsMax = 60_000;
const ageMsMax = 10 * 60_000;

/**
 * Exchanges a signed EIP-4361 message for an access token; the wallet need not belong to a user yet.
 *
 * The first challenge that carries the nonce uses it up, also where the sign-in fails.
 *
 * @throws auth.malformed_message, auth.invalid_nonce, auth.expired_message, auth.early_message, auth.wrong_chain,
 *   auth.unknown_domain, auth.invalid_signature
 */
export async function verifyChallenge(
  ctx: CommitContext,
  input: { message: string; signature: Hex; ttlInSeconds?: number | undefined },
): Promise<{ token: string }> {
  const message = parseSignInMessage(input.message) ?? fail("auth.malformed_message");
  if (!(await consumeNonce(ctx.db, message.nonce, await ctx.clock.now(ctx.db)))) fail("auth.invalid_nonce");
  requireTimely(message, new Date());
  await requireForUs(ctx, message);
  const signed = await ctx.chain.verifyMessage({
    address: message.address,
    message: input.message,
    signature: input.signature,
  });
  if (!signed) fail("auth.invalid_signature");
  const wallet = await findProven(ctx, message.address);
  const token = await ctx.accessTokens.sign({
    signerAddress: message.address,
    wallet,
    chainId: message.chainId,
    ttlSeconds: input.ttlInSeconds ?? ttl.default,
  });
  return { token };
}

/** @throws auth.expired_message, auth.early_message */
function requireTimely({ issuedAt, expirationTime, notBefore }: SignInMessage, now: Date): void {
  const ageMs = now.getTime() - issuedAt.getTime();
  if (ageMs > ageMsMax || (expirationTime !== undefined && expirationTime <= now)) fail("auth.expired_message");
  if (ageMs < -issuedAheadMsMax || (notBefore !== undefined && notBefore > now)) fail("auth.early_message");
}

/** @throws auth.malformed_message, auth.wrong_chain, auth.unknown_domain */
async function requireForUs(ctx: Context, message: SignInMessage): Promise<void> {
  if (message.version !== "1") fail("auth.malformed_message");
  if (message.chainId !== ctx.policy.chainId) fail("auth.wrong_chain");
  const domain = message.domain.toLowerCase();
  const { protocol, host } = URL.canParse(message.uri) ? new URL(message.uri) : { protocol: "", host: "" };
  // An address leaves out the usual port of its scheme, and the domain may name it.
  const named = URL.canParse(`${protocol}//${domain}`) ? new URL(`${protocol}//${domain}`).host : null;
  const isOfDomain = (protocol === "https:" || protocol === "http:") && host === named;
  const isOfScheme = message.scheme === undefined || `${message.scheme.toLowerCase()}:` === protocol;
  if (!isOfScheme || !isOfDomain || !(await isSignInDomain(ctx, domain))) fail("auth.unknown_domain");
}

/** Long enough for a person to confirm in a wallet. */
const lifetimeMs = 10 * 60_000;

/** Issues a nonce: 32 hexadecimal characters, good for one challenge within 10 minutes (EIP-4361 asks for 8 or more). */
export async function createNonce(ctx: CommitContext): Promise<string> {
  const value = randomBytes(16).toString("hex");
  await ctx.commit(({ tx, now }) => insertNonce(tx, { value, expiresAt: new Date(now.getTime() + lifetimeMs) }));
  return value;
}

/**
 * The sign-in wallet of an address, which signs in now. Where it was removed meanwhile there is none, also where its user has
 * the address again: the removal of a wallet that never signed in ends no token.
 */
async function findProven(ctx: CommitContext, address: Address): Promise<SignInWallet | null> {
  const found = await findSignInWallet(ctx.db, address);
  if (found?.provenAt !== null || (await recordFirstSignIn(ctx, found))) return found;
  const again = await findSignInWallet(ctx.db, address);
  return again?.provenAt === null ? null : again;
}

/**
 * Records that a wallet signed in for the first time, with a warning to its user: a thief may have added it. False where it did
 * so before, or was removed.
 */
const recordFirstSignIn = (ctx: CommitContext, { id, userId, address }: SignInWallet): Promise<boolean> =>
  ctx.commit(async (work) => {
    const isFirst = await proveSignInWallet(work.tx, id, work.now);
    if (isFirst) await notify(work, { userId, what: "signedIn", address, id });
    return isFirst;
  });
