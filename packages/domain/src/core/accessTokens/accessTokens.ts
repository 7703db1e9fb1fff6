/** Access tokens: JWTs of type `at+jwt` (RFC 9068), signed with ES256. */
import type { TokenError } from "@cardkeep/contract/core/errorCatalogue";
import type { Address } from "@cardkeep/contract/core/primitives";
import { createLocalJWKSet, errors, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { WalletActor } from "../actor.ts";
import type { RemovedWallets } from "./removedWallets.ts";

const algorithm = "ES256";
const issuer = "cardkeep";
const audience = "cardkeep:api";
const type = "at+jwt";

/** Verified tokens are remembered this long, so that a verification is not paid for on every request. */
const rememberedMsMax = 60_000;
const rememberedMax = 10_000;

const claims = z.object({
  userId: z.string().optional(),
  walletId: z.string().optional(),
  signerAddress: z.custom<Address>((value) => typeof value === "string" && value.startsWith("0x")),
  exp: z.number(),
});

/** What is wrong with a token. */
export type TokenFault = Extract<TokenError, "auth.token_expired" | "auth.token_invalid">;

export interface AccessTokens {
  /** Signs a token that ends `ttlSeconds` from now; `wallet` is the signer's sign-in wallet, null before sign-up. */
  sign(input: {
    signerAddress: Address;
    wallet: { id: string; userId: string } | null;
    chainId: number;
    ttlSeconds: number;
  }): Promise<string>;
  /** The actor of a valid token, or what is wrong with it. Rejects when the list of removed wallets cannot be read. */
  verify(token: string): Promise<WalletActor | TokenFault>;
  /** Ends the tokens of a wallet that was just removed; other processes learn of it within a second. */
  end(walletId: string): void;
  /** The public keys, for `/.well-known/jwks.json` (RFC 7517). */
  readonly publicKeys: { keys: JWK[] };
}

const toPublic = ({ d: _, ...jwk }: JWK): JWK => ({ ...jwk, alg: algorithm, use: "sig" });

interface Verified {
  readonly actor: WalletActor;
  readonly endsAtMs: number;
}

/**
 * Tokens signed with the first of `keys` and verified with any of them, chosen by `kid`, while their wallet remains. A process
 * without keys signs none and accepts none.
 */
export async function createAccessTokens(keys: readonly JWK[], removedWallets: RemovedWallets): Promise<AccessTokens> {
  const [signing] = keys;
  const kid = signing?.kid;
  if (signing && !kid) throw new Error("An access token key with a kid is needed");
  const privateKey = signing ? await importJWK(signing, algorithm) : null;
  const publicKeys = { keys: keys.map(toPublic) };
  const findKey = createLocalJWKSet(publicKeys);
  const remembered = new LRUCache<string, Verified>({ max: rememberedMax, perf: Date, ttlResolution: 0 });

  const verifyAnew = async (token: string): Promise<Verified | TokenFault> => {
    try {
      const { payload } = await jwtVerify(token, findKey, { algorithms: [algorithm], issuer, audience, typ: type });
      const { userId, walletId, signerAddress, exp } = claims.parse(payload);
      const actor = { signerAddress, userId: userId ?? null, ...(walletId !== undefined && { walletId }) };
      return { actor, endsAtMs: exp * 1000 };
    } catch (error) {
      return error instanceof errors.JWTExpired ? "auth.token_expired" : "auth.token_invalid";
    }
  };

  return {
    publicKeys,
    sign: async ({ signerAddress, wallet, chainId, ttlSeconds }) => {
      if (kid === undefined || privateKey === null) throw new Error("This process has no ACCESS_TOKEN_KEYS");
      const issuedAt = Math.floor(Date.now() / 1000);
      return new SignJWT({
        ...(wallet && { userId: wallet.userId, walletId: wallet.id }),
        signerAddress,
        chainId: String(chainId),
        hasSignedUp: wallet !== null,
      })
        .setProtectedHeader({ alg: algorithm, kid, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ttlSeconds)
        .sign(privateKey);
    },
    verify: async (token) => {
      const known = remembered.get(token);
      const verified = known ?? (await verifyAnew(token));
      if (typeof verified === "string") return verified;
      const { walletId } = verified.actor;
      if (walletId !== undefined && (await removedWallets.has(walletId))) {
        remembered.delete(token);
        return "auth.token_invalid";
      }
      if (verified !== known) {
        const ttl = Math.min(rememberedMsMax, verified.endsAtMs - Date.now());
        if (ttl > 0) remembered.set(token, verified, { ttl });
      }
      return verified.actor;
    },
    end: removedWallets.add,
  };
}
