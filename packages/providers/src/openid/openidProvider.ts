/** The adapter of any OpenID provider, over `openid-client`. */
import { hourMs } from "@cardkeep/contract/core/durations";
import * as openid from "openid-client";
import { ProviderUnavailable, type ReportCall } from "../http.ts";
import { buildIdentity, type Claims, findGroups } from "./claims.ts";
import { readAccess } from "./accessToken.ts";
import { readLogout } from "./logoutToken.ts";
import { createProviderFetch } from "./providerFetch.ts";
import { type Identity, type OpenidGrant, type OpenidProvider, SignInRejected } from "./port.ts";
import { createTokenReader, type TokenSigner } from "./signedToken.ts";
import { toSignInError } from "./signInErrors.ts";

export interface OpenidInput {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly timeoutMs: number;
  readonly report?: ReportCall;
}

/** The provider's configuration is asked for again after this time, in case an endpoint moved. */
const configurationMs = hourMs;

/** How far the provider's clock may be ahead. */
const skewSeconds = 60;

/** RFC 8628: between two questions where the provider names no interval, the grant's name, and answers that mean "not yet". */
const intervalSeconds = 5;
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const pending: readonly string[] = ["authorization_pending", "slow_down"];

type Tokens = Awaited<ReturnType<typeof openid.refreshTokenGrant>>;

/**
 * The provider of one client. It asks for the provider's configuration at the first use, and again after a failure.
 *
 * Signatures of ID tokens are checked even though they arrive over TLS, so that a proxy in between cannot name people.
 */
export function createOpenidProvider(input: OpenidInput): OpenidProvider {
  const { issuer, clientId, clientSecret, scopes, groupsClaim, timeoutMs } = input;
  const providerFetch = createProviderFetch(input);
  let known: { configuration: Promise<openid.Configuration>; untilMs: number } | null = null;
  const discover = (): Promise<openid.Configuration> =>
    openid.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === null ? openid.None() : openid.ClientSecretBasic(clientSecret),
      {
        timeout: timeoutMs / 1000,
        [openid.customFetch]: providerFetch,
        execute: [
          openid.enableNonRepudiationChecks,
          // Settings refuse such an issuer in production.
          ...(issuer.startsWith("http:") ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
  const configure = (): Promise<openid.Configuration> => {
    if (known && performance.now() < known.untilMs) return known.configuration;
    const fresh = { configuration: discover(), untilMs: performance.now() + configurationMs };
    known = fresh;
    fresh.configuration.catch(() => {
      if (known === fresh) known = null;
    });
    return fresh.configuration;
  };
  const ask = async <T>(call: (configuration: openid.Configuration) => Promise<T>): Promise<T> => {
    try {
      return await call(await configure());
    } catch (error) {
      throw toSignInError(error);
    }
  };
  const identify = async (configuration: openid.Configuration, tokens: Tokens, subject?: string): Promise<Identity> => {
    const claims = tokens.claims();
    if (claims && claims.iat > Date.now() / 1000 + skewSeconds)
      throw new SignInRejected("invalid", "The provider's ID token is from the future");
    const sub = claims?.sub ?? subject;
    if (sub === undefined) throw new SignInRejected("invalid", "The provider sent no ID token");
    if (subject !== undefined && sub !== subject)
      throw new SignInRejected("invalid", "The provider named another person than before");
    const groups = claims && findGroups(claims, groupsClaim);
    if (claims && groups) return buildIdentity(issuer, claims, groups);
    // Many providers name groups at this endpoint alone.
    const isOffered = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more: Claims = isOffered ? await openid.fetchUserInfo(configuration, tokens.access_token, sub) : {};
    return buildIdentity(issuer, { ...more, ...claims, sub }, findGroups(more, groupsClaim) ?? []);
  };
  const grant = async (
    configuration: openid.Configuration,
    tokens: Tokens,
    subject?: string,
  ): Promise<OpenidGrant> => ({
    identity: await identify(configuration, tokens, subject),
    refreshToken: tokens.refresh_token ?? null,
  });
  const readSigned = createTokenReader({ timeoutMs, fetch: providerFetch });
  // Discovery takes an issuer with or without its last slash; tokens name it as the provider spells it.
  const signerOf = (configuration: openid.Configuration): TokenSigner => {
    const { issuer: spelled, jwks_uri: keysUrl } = configuration.serverMetadata();
    if (keysUrl === undefined) throw new ProviderUnavailable("The OpenID provider names no keys");
    return { issuer: spelled, keysUrl };
  };
  return {
    issuer,
    check: () => ask(async () => {}),
    buildSignInUrl: ({ redirectUri, state, nonce, verifier }) =>
      ask(
        async (configuration) =>
          openid.buildAuthorizationUrl(configuration, {
            redirect_uri: redirectUri,
            scope: scopes,
            state,
            nonce,
            code_challenge: await openid.calculatePKCECodeChallenge(verifier),
            code_challenge_method: "S256",
          }).href,
      ),
    exchangeCode: ({ callbackUrl, state, nonce, verifier }) =>
      ask(async (configuration) =>
        grant(
          configuration,
          await openid.authorizationCodeGrant(configuration, new URL(callbackUrl), {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          }),
        ),
      ),
    refresh: ({ refreshToken, subject }) =>
      ask(async (configuration) => {
        const tokens = await openid.refreshTokenGrant(configuration, refreshToken);
        const renewed = await grant(configuration, tokens, subject);
        return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken };
      }),
    startDevice: () =>
      ask(async (configuration) => {
        const started = await openid.initiateDeviceAuthorization(configuration, { scope: scopes });
        return {
          userCode: started.user_code,
          address: started.verification_uri,
          completeAddress: started.verification_uri_complete ?? null,
          expiresInSeconds: started.expires_in,
          deviceCode: started.device_code,
          intervalSeconds: started.interval ?? intervalSeconds,
          finish: (stopping) =>
            ask(async () => {
              const options = stopping === undefined ? {} : { signal: stopping };
              const tokens = await openid.pollDeviceAuthorizationGrant(configuration, started, undefined, options);
              return grant(configuration, tokens);
            }),
        };
      }),
    askDevice: (deviceCode) =>
      ask(async (configuration) => {
        const tokens = await openid
          .genericGrantRequest(configuration, deviceGrant, { device_code: deviceCode })
          .catch((error: unknown) => {
            if (error instanceof openid.ResponseBodyError && pending.includes(error.error)) return null;
            throw error;
          });
        return tokens && grant(configuration, tokens);
      }),
    readLogoutToken: (token) =>
      ask((configuration) => readLogout(readSigned, { token, signer: signerOf(configuration), clientId })),
    readAccessToken: (token, audience) =>
      ask((configuration) =>
        readAccess(readSigned, { token, signer: signerOf(configuration), audience, issuer, groupsClaim }),
      ),
  };
}
