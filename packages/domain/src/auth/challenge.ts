import { parseSignInMessage, type SignInMessage } from "@cardkeep/chain/siwe";
import { ttl } from "@cardkeep/contract/auth";
import { fail } from "@cardkeep/contract/errors";
import type { Hex } from "@cardkeep/contract/primitives";
import { consumeNonce } from "@cardkeep/db/queries/auth";
import { findSignInWallet, proveSignInWallet } from "@cardkeep/db/queries/users";
import type { Context } from "../context.ts";
import { isSignInDomain } from "./domains.ts";

const issuedAheadMsMax = 60_000;
const ageMsMax = 10 * 60_000;

/**
 * Exchanges a signed EIP-4361 message for an access token; the wallet need not belong to a user yet.
 *
 * The nonce is spent by the first challenge that carries it, whatever comes of it.
 *
 * @throws auth.invalid_signature for any fault of message, nonce or signature
 */
export async function challenge(
  ctx: Context,
  input: { message: string; signature: Hex; ttlInSeconds?: number | undefined },
): Promise<{ token: string }> {
  const message = parseSignInMessage(input.message);
  if (!message) fail("auth.invalid_signature");
  const fresh = await consumeNonce(ctx.db, message.nonce, await ctx.clock.now(ctx.db));
  if (!fresh || !isTimely(message, new Date()) || !(await isForUs(ctx, message, input.message))) {
    fail("auth.invalid_signature");
  }
  const signed = await ctx.chain.verifyMessage({
    address: message.address,
    message: input.message,
    signature: input.signature,
  });
  if (!signed) fail("auth.invalid_signature");
  const wallet = await findSignInWallet(ctx.db, message.address);
  if (wallet?.provenAt === null) await proveSignInWallet(ctx.db, wallet.id, await ctx.clock.now(ctx.db));
  const token = await ctx.accessTokens.sign({
    signerAddress: message.address,
    wallet,
    chainId: message.chainId,
    ttlSeconds: input.ttlInSeconds ?? ttl.default,
  });
  return { token };
}

function isTimely(message: SignInMessage, now: Date): boolean {
  const ageMs = now.getTime() - message.issuedAt.getTime();
  return (
    ageMs >= -issuedAheadMsMax &&
    ageMs <= ageMsMax &&
    (message.expirationTime === undefined || message.expirationTime > now) &&
    (message.notBefore === undefined || message.notBefore <= now)
  );
}

async function isForUs(ctx: Context, message: SignInMessage, text: string): Promise<boolean> {
  // A domain with a scheme is legal in EIP-4361, but no registered domain has one.
  const namesDomainOnly = text.startsWith(`${message.domain} wants you to sign in`);
  const { protocol, host } = URL.canParse(message.uri) ? new URL(message.uri) : { protocol: "", host: "" };
  return (
    namesDomainOnly &&
    message.version === "1" &&
    message.chainId === ctx.rules.chainId &&
    (protocol === "https:" || protocol === "http:") &&
    host === message.domain.toLowerCase() &&
    (await isSignInDomain(ctx, message.domain.toLowerCase()))
  );
}
