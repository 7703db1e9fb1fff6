import type { SignInFault } from "./signIn.ts";

const words: Readonly<Record<SignInFault, (host: string) => string>> = {
  off: () => "No OpenID provider is set, see OIDC_ISSUER.",
  expired: () =>
    "This sign-in was used already, is older than ten minutes, or began in another browser. Sign in again.",
  denied: (host) => `${host} did not sign you in.`,
  "code-expired": (host) => `The answer of ${host} was used already or is too old. Sign in again.`,
  invalid: (host) => `The answer of ${host} does not prove who you are. Sign in again. The log has the reason.`,
  misconfigured: (host) => `${host} refuses this service. The log has the reason; see the settings OIDC_*.`,
  unavailable: (host) => `${host} does not answer. Try again in a minute, or use the shared key.`,
  roleless: () => "You are in no group that has a role here. An administrator can add you to one, see OPERATOR_ROLES.",
};

/** Why a sign-in failed, as a sentence; `host` is the provider's. */
export const describeSignInFault = (fault: SignInFault, host: string): string => words[fault](host);
