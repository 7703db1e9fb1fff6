/** Signed tokens of an OpenID provider, checked with the keys that it publishes. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { ProviderUnavailable } from "../http.ts";
import { SignInRejected } from "./port.ts";
import type { ProviderFetch } from "./providerFetch.ts";

const clockToleranceSeconds = 30;
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Who signs tokens: the issuer in the provider's own spelling, and where its keys are. */
export interface TokenSigner {
  readonly issuer: string;
  readonly keysUrl: string;
}

/** Reads a token's claims. `options` name its audience and its type. @throws SignInRejected, ProviderUnavailable */
export type ReadSigned = <T>(
  token: string,
  signer: TokenSigner,
  options: Pick<JWTVerifyOptions, "audience" | "maxTokenAge" | "typ" | "requiredClaims">,
  parse: (claims: JWTPayload) => T,
) => Promise<T>;

/** The reader of one provider's tokens. */
export function createTokenReader({
  timeoutMs,
  fetch: providerFetch,
}: {
  timeoutMs: number;
  fetch: ProviderFetch;
}): ReadSigned {
  const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
  const keySetOf = (keysUrl: string) => {
    const known =
      keySets.get(keysUrl) ??
      createRemoteJWKSet(new URL(keysUrl), { timeoutDuration: timeoutMs, [customFetch]: providerFetch });
    keySets.set(keysUrl, known);
    return known;
  };
  return async (token, { issuer, keysUrl }, options, parse) => {
    try {
      const checks = { ...options, issuer, clockTolerance: clockToleranceSeconds, algorithms };
      const { payload } = await jwtVerify(token, keySetOf(keysUrl), checks);
      return parse(payload);
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error;
      if (error instanceof errors.JWKSTimeout)
        throw new ProviderUnavailable("The OpenID provider's keys did not arrive", { cause: error });
      throw new SignInRejected("invalid", "The token is invalid", { cause: error });
    }
  };
}
