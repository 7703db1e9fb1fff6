/** Logout tokens of an OpenID provider (OpenID Connect Back-Channel Logout 1.0, 2.6). */
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import { z } from "zod";
import { ProviderUnavailable } from "../http.ts";
import { type LogoutClaims, SignInRejected } from "./port.ts";
import type { ProviderFetch } from "./providerFetch.ts";

/** A logout token names an instant; an older one was used already or was held back. */
const maxTokenAgeSeconds = 300;
const clockToleranceSeconds = 30;

const logoutClaims = z
  .object({
    sub: z.string().min(1).nullable().default(null),
    sid: z.string().min(1).nullable().default(null),
    // An ID token would be accepted here otherwise.
    nonce: z.never("must not be there").optional(),
    jti: z.string().min(1),
    events: z.looseObject({ "http://schemas.openid.net/event/backchannel-logout": z.looseObject({}) }),
  })
  .refine(({ sub, sid }) => sub !== null || sid !== null, "names neither a person nor a session");

/**
 * Reads logout tokens of one issuer for one client. A repeated token ends nothing new: it names sessions that have ended,
 * and after five minutes it does not count.
 */
export function createLogoutReader({
  issuer,
  clientId,
  timeoutMs,
  fetch: providerFetch,
}: {
  issuer: string;
  clientId: string;
  timeoutMs: number;
  fetch: ProviderFetch;
}): (token: string, keysUrl: string) => Promise<LogoutClaims> {
  const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
  const keySetOf = (keysUrl: string) => {
    const known =
      keySets.get(keysUrl) ??
      createRemoteJWKSet(new URL(keysUrl), { timeoutDuration: timeoutMs, [customFetch]: providerFetch });
    keySets.set(keysUrl, known);
    return known;
  };
  return async (token, keysUrl) => {
    try {
      const { payload } = await jwtVerify(token, keySetOf(keysUrl), {
        issuer,
        audience: clientId,
        maxTokenAge: maxTokenAgeSeconds,
        clockTolerance: clockToleranceSeconds,
        algorithms: [
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
        ],
      });
      const { sub, sid } = logoutClaims.parse(payload);
      return { subject: sub, providerSession: sid };
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error;
      if (error instanceof errors.JWKSTimeout)
        throw new ProviderUnavailable("The OpenID provider's keys did not arrive", { cause: error });
      throw new SignInRejected("invalid", "The logout token is invalid", { cause: error });
    }
  };
}
