/** What an error of `openid-client` means for a sign-in. */
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { ProviderUnavailable } from "../http.ts";
import { type RejectionKind, SignInRejected } from "./port.ts";

/** Error codes of OAuth 2.0 (RFC 6749), OpenID Connect and the device flow (RFC 8628). Any other is about this client. */
const kinds: Readonly<Record<string, RejectionKind>> = {
  access_denied: "denied",
  login_required: "denied",
  interaction_required: "denied",
  consent_required: "denied",
  account_selection_required: "denied",
  invalid_grant: "expired",
  expired_token: "expired",
};

const temporary: readonly string[] = ["server_error", "temporarily_unavailable"];

/** The kind of an error that the provider answered with; its own text stays out of ours. */
function toAnswer(error: string, cause: Error): SignInRejected | ProviderUnavailable {
  const known = /^[a-z_]{1,40}$/.test(error) ? error : "an error";
  if (temporary.includes(error)) return new ProviderUnavailable(`The OpenID provider answered ${known}`, { cause });
  return new SignInRejected(kinds[error] ?? "misconfigured", `The OpenID provider answered ${known}`);
}

/** Sorts an error of the library. Errors of another kind are answers that prove nothing. */
export function toSignInError(error: unknown): Error {
  if (error instanceof SignInRejected || error instanceof ProviderUnavailable) return error;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return toAnswer(error.error, error);
  if (error instanceof WWWAuthenticateChallengeError)
    return new SignInRejected("misconfigured", "The OpenID provider refuses the client");
  if (!(error instanceof Error)) return new SignInRejected("invalid", "The OpenID provider's answer is invalid");
  const { cause } = error;
  if (cause instanceof ProviderUnavailable) return cause;
  if (error instanceof ClientError && (error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_ABORT"))
    return new ProviderUnavailable("The OpenID provider did not answer in time", { cause: error });
  return new SignInRejected("invalid", `The OpenID provider's answer is invalid: ${describe(error)}`);
}

/** The library's messages name claims and parameters; the values are in their causes. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message;
