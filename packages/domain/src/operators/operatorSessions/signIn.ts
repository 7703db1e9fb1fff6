/** Signing in with the OpenID provider, in a browser. */
import { consumeSignIn, insertSignIn } from "@cardkeep/db/queries/operators/sessions";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { type OpenidGrant, type OpenidProvider, SignInRejected } from "@cardkeep/providers/openid/port";
import { publicUrlOf } from "../../core/publicUrl.ts";
import type { CommitContext } from "../../core/context.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import { listOperatorRoles } from "./listOperatorRoles.ts";
import { generateSecret, hashSecret } from "../../core/secrets/randomSecret.ts";
import { beginSession } from "./sessions.ts";

const signInMs = 10 * 60_000;

/** Path of the page to which the provider sends browsers back. */
export const callbackPath = "/operator/callback";

/**
 * Why a sign-in failed.
 *
 * - off: no provider is set. - expired: the sign-in is unknown, used, too old, or of another browser.
 * - roleless: the person is in no group with a role. - the others: see `RejectionKind`.
 */
export type SignInFault =
  | "off"
  | "expired"
  | "denied"
  | "code-expired"
  | "invalid"
  | "misconfigured"
  | "unavailable"
  | "roleless";

/** A sign-in that began no session. */
export class SignInFailed extends Error {
  override readonly name = "SignInFailed";
  readonly fault: SignInFault;

  constructor(fault: SignInFault, options?: ErrorOptions) {
    super(`The sign-in failed: ${fault}`, options);
    this.fault = fault;
  }
}

const getProvider = ({ openid }: CommitContext): OpenidProvider => {
  if (openid === null) throw new SignInFailed("off");
  return openid;
};

/** Runs a call to the provider. @throws SignInFailed, and nothing else for what a provider may answer */
export async function askProvider<T>(ctx: CommitContext, call: (provider: OpenidProvider) => Promise<T>): Promise<T> {
  try {
    return await call(getProvider(ctx));
  } catch (cause) {
    if (cause instanceof ProviderUnavailable) {
      ctx.log.warn({ err: cause }, "the OpenID provider does not answer");
      throw new SignInFailed("unavailable", { cause });
    }
    if (!(cause instanceof SignInRejected)) throw cause;
    ctx.log.warn({ err: cause }, "the OpenID provider's answer was refused");
    throw new SignInFailed(cause.kind === "expired" ? "code-expired" : cause.kind, { cause });
  }
}

const buildRedirectUri = (ctx: CommitContext): string => publicUrlOf(ctx.policy.publicUrl, callbackPath);

/** Refuses a person or a program without a role before there is a session. @throws SignInFailed */
export function checkOperatorRoles(ctx: CommitContext, { identity }: Pick<OpenidGrant, "identity">): void {
  if (listOperatorRoles(ctx.policy.operators, identity.groups).length > 0) return;
  ctx.log.warn(
    { subject: identity.subject, groups: identity.groups },
    "a person without a role signed in at the OpenID provider",
  );
  throw new SignInFailed("roleless");
}

/**
 * Begins a sign-in in a browser: the provider's page, and the secret of a cookie without which the answer does not count.
 * @throws SignInFailed
 */
export async function startSignIn(ctx: CommitContext, next: string): Promise<{ url: string; browserSecret: string }> {
  const [state, nonce, verifier, browserSecret] = [
    generateSecret(),
    generateSecret(),
    generateSecret(),
    generateSecret(),
  ];
  const redirectUri = buildRedirectUri(ctx);
  const url = await askProvider(ctx, (provider) => provider.buildSignInUrl({ redirectUri, state, nonce, verifier }));
  const stateHash = hashSecret(state);
  const sealedVerifier = await ctx.secrets.seal(stateHash, verifier);
  await ctx.commit(async ({ tx, now }) =>
    insertSignIn(tx, {
      stateHash,
      browserHash: hashSecret(browserSecret),
      nonce,
      sealedVerifier,
      next,
      expiresAt: new Date(now.getTime() + signInMs),
    }),
  );
  return { url, browserSecret };
}

/**
 * Ends a sign-in with what the browser brought back. The state serves once, also if the sign-in fails.
 * @throws SignInFailed
 */
export async function finishSignIn(
  ctx: CommitContext,
  input: { query: string; browserSecret: string | null; replaced: string | null },
): Promise<{ secret: string; next: string }> {
  const provider = getProvider(ctx);
  const state = new URLSearchParams(input.query).get("state") ?? "";
  const { browserSecret, replaced } = input;
  if (browserSecret === null || state === "") throw new SignInFailed("expired");
  const [stateHash, browserHash] = [hashSecret(state), hashSecret(browserSecret)];
  const now = await ctx.clock.now(ctx.db);
  const begun = await consumeSignIn(ctx.db, { stateHash, browserHash, now });
  if (begun === null) throw new SignInFailed("expired");
  const verifier = await openVerifier(ctx, stateHash, begun.sealedVerifier);
  // The provider's address of this server, not the one in the request, which a proxy may have changed.
  const callbackUrl = `${buildRedirectUri(ctx)}${input.query}`;
  const grant = await askProvider(ctx, () =>
    provider.exchangeCode({ callbackUrl, state, nonce: begun.nonce, verifier }),
  );
  checkOperatorRoles(ctx, grant);
  const { secret } = await beginSession(ctx, { way: "page", proof: { kind: "oidc", grant }, replaced });
  return { secret, next: begun.next };
}

async function openVerifier(ctx: CommitContext, stateHash: string, sealed: string): Promise<string> {
  try {
    return await ctx.secrets.unseal(stateHash, sealed);
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new SignInFailed("expired", { cause });
  }
}

/** Begins a session with the shared key, which names no person. Answers the secret of its cookie. */
export async function signInWithKey(
  ctx: CommitContext,
  { keyName, replaced, network }: { keyName: string; replaced: string | null; network: string },
): Promise<string> {
  const { id, secret } = await beginSession(ctx, { way: "page", proof: { kind: "key", keyName }, replaced });
  ctx.log.warn({ session: id, network }, "the shared key opened the operator's pages; it names no person");
  return secret;
}
