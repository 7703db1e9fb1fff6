/** Sessions of the operator's API: a person by the device flow, a program by the access token of its client credentials. */
import { publicUrlOf } from "../../core/publicUrl.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import type { CommitContext } from "../../core/context.ts";
import { beginSession, type BegunSession } from "./sessions.ts";
import { askProvider, checkOperatorRoles, SignInFailed } from "./signIn.ts";

/** Device codes are sealed for it, so that a caller can ask the provider by this service alone. */
const owner = "operator-device";

/** What a person needs to sign in, and what the caller asks with. */
export interface DevicePrompt {
  readonly device: string;
  readonly userCode: string;
  readonly address: string;
  /** The address with the code in it; null where the provider has none. */
  readonly completeAddress: string | null;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** Begins a sign-in of a person (RFC 8628). @throws SignInFailed */
export async function startDeviceSignIn(ctx: CommitContext): Promise<DevicePrompt> {
  const started = await askProvider(ctx, (provider) => provider.startDevice());
  const { userCode, address, completeAddress, expiresInSeconds, intervalSeconds, deviceCode } = started;
  const device = await ctx.secrets.seal(owner, deviceCode);
  return { device, userCode, address, completeAddress, expiresInSeconds, intervalSeconds };
}

/** Begins the session once the person agreed; null before. The provider answers once. @throws SignInFailed */
export async function finishDeviceSignIn(ctx: CommitContext, device: string): Promise<BegunSession | null> {
  const deviceCode = await ctx.secrets.unseal(owner, device).catch((cause: unknown) => {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new SignInFailed("invalid", { cause });
  });
  const grant = await askProvider(ctx, (provider) => provider.askDevice(deviceCode));
  if (grant === null) return null;
  checkOperatorRoles(ctx, grant);
  return beginSession(ctx, { way: "cli", proof: { kind: "oidc", grant }, replaced: null });
}

/** The audience that access tokens for this service name: the address of the API. */
export const apiAudienceOf = (publicUrl: string): string => publicUrlOf(publicUrl, "/operator/api");

/** Begins the session of a program, which ends with its access token at the latest. @throws SignInFailed */
export async function signInProgram(ctx: CommitContext, accessToken: string): Promise<BegunSession> {
  const audience = apiAudienceOf(ctx.policy.publicUrl);
  const grant = await askProvider(ctx, (provider) => provider.readAccessToken(accessToken, audience));
  checkOperatorRoles(ctx, grant);
  return beginSession(ctx, { way: "api", proof: { kind: "program", grant }, replaced: null });
}
