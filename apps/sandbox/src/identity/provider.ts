/** The OpenID provider of the sandbox: `oidc-provider`, with people of the sandbox. */
import { deleteExpiredIdentityRecords } from "@cardkeep/db/sandbox/identityRecords";
import { operatorRoles } from "@cardkeep/domain/core/actor";
import { apiAudienceOf } from "@cardkeep/domain/operators/operatorSessions/signInByApi";
import { callbackPath } from "@cardkeep/domain/operators/operatorSessions/signIn";
import type { Configuration, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { SandboxRuntime } from "../core/openStore.ts";
import { createAdapter } from "./adapter.ts";
import { loadKeys } from "./keys.ts";
import { findOperator, groupOf, programOf, programSecret } from "./operators.ts";
import { renderCodeConfirmation, renderCodeForm, renderDone, renderFault } from "./pages.ts";

/** The path below which the provider answers. */
export const identityPath = "/identity";
/** Path of the service that takes logout tokens. */
export const logoutPath = "/operator/back-channel-logout";

const scopes = "openid profile email offline_access";
/** Holds the code of a terminal in the address of the page that asks for it. */
export const codeParameter = "code";

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

/** The issuer that the settings name, or the sandbox's own address. */
export const issuerOf = ({ settings }: SandboxRuntime): string =>
  settings.openid?.issuer ?? `${settings.sandboxUrl}${identityPath}`;

const show = (ctx: KoaContextWithOIDC, html: string): void => {
  ctx.type = "html";
  ctx.body = html;
};

async function configure(runtime: SandboxRuntime): Promise<Configuration> {
  const { openid, publicUrl } = runtime.settings;
  const { jwk, cookieKey } = await loadKeys(runtime);
  const { errors, interactionPolicy } = await import("oidc-provider");
  const policy = interactionPolicy.base();
  // A developer changes roles often, so the choice is offered each time.
  policy
    .get("login")
    ?.checks.add(
      new interactionPolicy.Check(
        "choice",
        "The person must be chosen",
        ({ oidc }) => oidc.result?.login === undefined,
      ),
    );
  const secret = openid?.clientSecret ?? null;
  return {
    adapter: (name) => createAdapter(runtime, name),
    clients: [
      {
        client_id: openid?.clientId ?? "cardkeep",
        ...(secret === null
          ? { token_endpoint_auth_method: "none" as const }
          : { client_secret: secret, token_endpoint_auth_method: "client_secret_basic" as const }),
        redirect_uris: [`${publicUrl}${callbackPath}`],
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256" as const,
        backchannel_logout_uri: `${publicUrl}${logoutPath}`,
        backchannel_logout_session_required: true,
      },
      ...operatorRoles.map((role) => ({
        client_id: programOf(role),
        client_secret: programSecret,
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
        id_token_signed_response_alg: "ES256" as const,
        token_endpoint_auth_method: "client_secret_basic" as const,
      })),
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: [cookieKey] },
    scopes: scopes.split(" "),
    claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email", "email_verified"] },
    // As most providers do: the ID token has all claims.
    conformIdTokenClaims: false,
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 14 * daySeconds,
      IdToken: hourSeconds,
      Interaction: hourSeconds,
      RefreshToken: daySeconds,
      Session: 14 * daySeconds,
    },
    interactions: { policy, url: (_, { uid }) => `${identityPath}/sign-in/${uid}` },
    // The sandbox's people always agree.
    loadExistingGrant: async ({ oidc: { provider, session, client } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope(scopes);
      await grant.save();
      return grant;
    },
    findAccount: async (_, id) => {
      const operator = await findOperator(runtime, id);
      if (operator === null || operator.isDisabled) return undefined;
      const { name, mail, groups } = operator;
      return { accountId: id, claims: async () => ({ sub: id, name, groups, email: mail, email_verified: true }) };
    },
    renderError: async (ctx, out) => show(ctx, renderFault(out.error_description ?? out.error)),
    // Programs have the group of the role in their name.
    extraTokenClaims: async (_, token) => {
      const role = operatorRoles.find((each) => programOf(each) === token.clientId);
      return role && { groups: [groupOf(role)] };
    },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_, resource) => {
          if (resource !== apiAudienceOf(publicUrl)) throw new errors.InvalidTarget();
          const jwt = { sign: { alg: "ES256" } } as const;
          return { scope: "", audience: resource, accessTokenTTL: hourSeconds, accessTokenFormat: "jwt", jwt };
        },
      },
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      backchannelLogout: { enabled: true },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: async (ctx, form, _, error) => {
          const [, xsrf = ""] = /name="xsrf" value="([^"]*)"/.exec(form) ?? [];
          const code = String(ctx.query[codeParameter] ?? "");
          show(ctx, renderCodeForm({ xsrf, code, isWrong: error !== undefined }));
        },
        userCodeConfirmSource: async (ctx, form, _, __, code) => show(ctx, renderCodeConfirmation(form, code)),
        successSource: async (ctx) => show(ctx, renderDone()),
      },
    },
  };
}

async function createProvider(runtime: SandboxRuntime): Promise<Provider> {
  // 40 MB and half a second, which most starts of the sandbox do not need.
  const { Provider } = await import("oidc-provider");
  await deleteExpiredIdentityRecords(runtime.store, new Date());
  const provider = new Provider(issuerOf(runtime), await configure(runtime));
  provider.proxy = true;
  // The library names no interval, and clients then ask every five seconds.
  provider.use(async (ctx, next) => {
    await next();
    const { route } = ctx.oidc ?? {};
    if (route === "device_authorization" && ctx.status === 200) ctx.body = { ...ctx.body, interval: 1 };
  });
  provider.on("server_error", (_, error) => runtime.log.error({ err: error }, "the OpenID provider failed"));
  return provider;
}

const providers = new WeakMap<SandboxRuntime, Promise<Provider>>();

/** The provider of a sandbox, loaded at the first call. */
export function loadProvider(runtime: SandboxRuntime): Promise<Provider> {
  const known = providers.get(runtime) ?? createProvider(runtime);
  providers.set(runtime, known);
  known.catch(() => providers.delete(runtime));
  return known;
}
