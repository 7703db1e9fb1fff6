/** The page on which operators sign in, and why a sign-in failed. */
import type { SignInFault } from "@cardkeep/domain/operatorSessions/signIn";
import { renderDocument } from "@cardkeep/html/document";
import { markup } from "@cardkeep/html/markup";
import { style, titleOf } from "./frame.ts";

/** What the page offers. */
export interface SignInChoices {
  /** The OpenID provider's host, and the address that begins a sign-in there; null without a provider. */
  readonly provider: { readonly host: string; readonly startUrl: string } | null;
  readonly hasKey: boolean;
  /** The page to open afterwards. */
  readonly next: string;
}

const renderKeyForm = (next: string) =>
  markup`<form method="post" action="/operator/sign-in">
    <label for="key">Operator key</label>
    <input id="key" name="key" type="password" autocomplete="current-password" required />
    <input name="next" type="hidden" value="${next}" />
    <button>Sign in</button>
    <p class="none">It is the <code>OPERATOR_API_KEY</code> of this service. It names no person, and its use is logged.</p>
  </form>`;

/** The page; `refusal` says why the last try failed. */
export const renderSignIn = ({ provider, hasKey, next }: SignInChoices, refusal: string | null): string =>
  renderDocument({
    title: titleOf("Sign in"),
    style,
    body: markup`<main class="narrow">
      <h1 class="brand">Cardkeep <span class="tag">operator</span></h1>
      <div class="panel sign-in">
        ${refusal !== null && markup`<p class="refusal" role="alert">${refusal}</p>`}
        ${provider !== null && markup`<p><a class="button" href="${provider.startUrl}?next=${encodeURIComponent(next)}">Sign in with ${provider.host}</a></p>`}
        ${provider === null ? hasKey && renderKeyForm(next) : hasKey && markup`<details><summary>Use the shared key</summary>${renderKeyForm(next)}</details>`}
      </div>
    </main>`,
  });

/** The status and the sentence of a failed sign-in; `host` is the provider's. */
export const signInFaults: Readonly<Record<SignInFault, { status: number; describe: (host: string) => string }>> = {
  off: { status: 404, describe: () => "No OpenID provider is set. Use the shared key." },
  expired: {
    status: 400,
    describe: () =>
      "This sign-in was used already, is older than ten minutes, or began in another browser. Sign in again.",
  },
  denied: { status: 403, describe: (host) => `${host} did not sign you in.` },
  "code-expired": {
    status: 400,
    describe: (host) => `The answer of ${host} was used already or is too old. Sign in again.`,
  },
  invalid: {
    status: 400,
    describe: (host) => `The answer of ${host} does not prove who you are. Sign in again. The log has the reason.`,
  },
  misconfigured: {
    status: 503,
    describe: (host) => `${host} refuses this service. The log has the reason; see the settings OIDC_*.`,
  },
  unavailable: {
    status: 503,
    describe: (host) => `${host} does not answer. Try again in a minute, or use the shared key.`,
  },
  roleless: {
    status: 403,
    describe: () =>
      "You are in no group that has a role here. An administrator can add you to one, see OPERATOR_ROLES.",
  },
};
