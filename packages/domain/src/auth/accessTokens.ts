/** Access tokens: JWTs of type `at+jwt` (RFC 9068), signed with ES256. */
import type { Address } from "@cardkeep/contract/primitives";
import { createLocalJWKSet, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { WalletActor } from "../context.ts";

const algorithm = "ES256";
const issuer = "cardkeep";
const audience = "cardkeep:api";
const type = "at+jwt";

/** Verified tokens are remembered this long, so that a verification is not paid for on every request. */
const rememberedMsMax = 60_000;
const rememberedMax = 10_000;

const claims = z.object({
  userId: z.string().optional(),
  signerAddress: z.custom<Address>((value) => typeof value === "string" && value.startsWith("0x")),
  exp: z.number(),
});

export interface AccessTokens {
  /** Signs a token that ends `ttlSeconds` from now. */
  sign(input: { actor: WalletActor; chainId: number; ttlSeconds: number }): Promise<string>;
  /** The actor of a valid token, or null for anything else. */
  verify(token: string): Promise<WalletActor | null>;
  /** The public keys, for `/.well-known/jwks.json` (RFC 7517). */
  readonly publicKeys: { keys: JWK[] };
}

const toPublic = ({ d: _, ...jwk }: JWK): JWK => ({ ...jwk, alg: algorithm, use: "sig" });

/** Tokens signed with the first of `keys` and verified with any of them, chosen by `kid`. */
export async function createAccessTokens(keys: readonly JWK[]): Promise<AccessTokens> {
  const [signing] = keys;
  if (!signing?.kid) throw new Error("An access token key with a kid is needed");
  const kid = signing.kid;
  const privateKey = await importJWK(signing, algorithm);
  const publicKeys = { keys: keys.map(toPublic) };
  const findKey = createLocalJWKSet(publicKeys);
  const remembered = new Map<string, { actor: WalletActor; untilMs: number }>();

  return {
    publicKeys,
    sign: ({ actor, chainId, ttlSeconds }) => {
      const issuedAt = Math.floor(Date.now() / 1000);
      return new SignJWT({
        ...(actor.userId === null ? {} : { userId: actor.userId }),
        signerAddress: actor.signerAddress,
        chainId: String(chainId),
        hasSignedUp: actor.userId !== null,
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
      if (known && known.untilMs > Date.now()) return known.actor;
      remembered.delete(token);
      try {
        const { payload } = await jwtVerify(token, findKey, { algorithms: [algorithm], issuer, audience, typ: type });
        const { userId, signerAddress, exp } = claims.parse(payload);
        const actor = { signerAddress, userId: userId ?? null };
        for (const oldest of remembered.keys()) {
          if (remembered.size < rememberedMax) break;
          remembered.delete(oldest);
        }
        remembered.set(token, { actor, untilMs: Math.min(exp * 1000, Date.now() + rememberedMsMax) });
        return actor;
      } catch {
        return null;
      }
    },
  };
}
