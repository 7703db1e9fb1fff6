/** Ends the sessions of a person everywhere (OpenID Connect Back-Channel Logout 1.0). */
import { importJWK, SignJWT } from "jose";
import { randomUUID } from "node:crypto";
import { deliver, noRetries } from "../deliver.ts";
import type { SandboxRuntime } from "../core/openStore.ts";
import { loadKeys } from "./keys.ts";
import { forgetSessions } from "./operators.ts";
import { issuerOf, logoutPath } from "./provider.ts";

const lifetime = "2m";

/** A signed logout token of the provider, for all sessions of a person or for one at the provider. */
export async function signLogoutToken(
  runtime: SandboxRuntime,
  subject: string,
  providerSession?: string,
): Promise<string> {
  const { jwk } = await loadKeys(runtime);
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  return new SignJWT({ events, ...(providerSession !== undefined && { sid: providerSession }) })
    .setProtectedHeader({ alg: jwk.alg, kid: jwk.kid, typ: "logout+jwt" })
    .setIssuer(issuerOf(runtime))
    .setSubject(subject)
    .setAudience(runtime.settings.openid?.clientId ?? "cardkeep")
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .setJti(randomUUID())
    .sign(await importJWK(jwk, jwk.alg));
}

/** Signs a person out here, and informs the service. @throws SandboxError 422 when the service does not accept it */
export async function logOut(runtime: SandboxRuntime, subject: string): Promise<void> {
  await forgetSessions(runtime, subject);
  const body = new URLSearchParams({ logout_token: await signLogoutToken(runtime, subject) }).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  await deliver(runtime, { path: logoutPath, headers, body }, noRetries);
}
