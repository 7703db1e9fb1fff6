/** The page on which operators sign in, and why a sign-in failed. */
import type { SignInFault } from "@cardkeep/domain/operators/operatorSessions/signIn";
import { renderDocument } from "@cardkeep/html/document";
import { markup } from "@cardkeep/html/markup";
import { style, titleOf } from "../page/frame.ts";

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

/** The status of a failed sign-in. */
export const signInStatuses: Readonly<Record<SignInFault, number>> = {
  off: 404,
  expired: 400,
  denied: 403,
  "code-expired": 400,
  invalid: 400,
  misconfigured: 503,
  unavailable: 503,
  roleless: 403,
};
