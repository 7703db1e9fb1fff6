/** Pages of the OpenID provider. They need no script. */
import { renderDocument } from "@cardkeep/html/document";
import { type Html, markup, type Part, trust } from "@cardkeep/html/markup";
import { buildPageHeaders } from "@cardkeep/html/policy";
import { style } from "../core/style.ts";
import type { SandboxOperator } from "./operators.ts";

/** The forms redirect to the app, at any address. Browsers apply `form-action` to redirects too. */
export const pageHeaders = {
  ...buildPageHeaders({ style, formTargets: ["'self'", "http:", "https:"] }),
  "Referrer-Policy": "same-origin",
};

const render = (title: string, body: Part): string =>
  renderDocument({
    title: `${title} · sandbox`,
    style,
    body: markup`<main class="narrow"><h1>${title}</h1>${body}</main>`,
  });

const renderOperator = ({ id, name, groups, isDisabled }: SandboxOperator): Html =>
  markup`<li>
    <button name="operator" value="${id}"${isDisabled && markup` disabled`}>${name}</button>
    <small>${isDisabled ? "disabled" : groups.length === 0 ? "in no group" : groups.join(", ")}</small>
  </li>`;

/** The page that asks who signs in. */
export const renderChoice = (operators: readonly SandboxOperator[]): string =>
  render(
    "Sign in",
    markup`<p>The sandbox's OpenID provider asks for no password. Choose who you are. Its tokens follow the wall clock, also where the sandbox's clock is ahead.</p>
      <form method="post" class="panel"><ol class="rows">${operators.map(renderOperator)}</ol>
        <div class="row"><button name="operator" value="" class="plain">Cancel</button></div>
      </form>`,
  );

/** The page that asks for the code of a terminal. `xsrf` is the provider's own proof that its page sent the form. */
export const renderCodeForm = ({ xsrf, code, isWrong }: { xsrf: string; code: string; isWrong: boolean }): string =>
  render(
    "Sign in at a terminal",
    markup`<form method="post" class="panel">
      ${isWrong && markup`<p role="alert">This code is unknown, used or too old. Enter the code of your terminal.</p>`}
      <input type="hidden" name="xsrf" value="${xsrf}" />
      <label class="field"><span>Code that your terminal shows</span>
        <input name="user_code" value="${code}" required autocomplete="off" /></label>
      <div class="row"><button>Continue</button></div>
    </form>`,
  );

/** The page that asks whether a code is that of the person's own terminal. */
export const renderCodeConfirmation = (form: string, userCode: string): string =>
  render(
    "Sign in at a terminal",
    markup`<div class="panel">
      <p>Does your terminal show <strong>${userCode}</strong>? Continue only if you started this sign-in.</p>
      ${trust(form)}
      <div class="row">
        <button type="submit" form="op.deviceConfirmForm">Continue</button>
        <button type="submit" form="op.deviceConfirmForm" name="abort" value="yes" class="plain">Cancel</button>
      </div>
    </div>`,
  );

export const renderDone = (): string =>
  render("Signed in", markup`<p role="status">You are signed in at your terminal. You can close this page.</p>`);

export const renderFault = (sentence: string): string =>
  render("Sign-in failed", markup`<p role="alert">${sentence}</p>`);
