/** The first steps: sign in, sign up, accept the terms. */
import { markup } from "@cardkeep/html/markup";
import { generateEmail } from "../../profiles/generatePerson.ts";
import { renderField } from "../parts.ts";
import { done, open, renderCommand, renderButton, type Step } from "./step.ts";

export const signIn: Step = {
  id: "signIn",
  title: "Sign in",
  summary:
    "The wallet signs a message with a nonce of the service (EIP-4361). The service answers with an access token, which ends after an hour. Message and token follow the wall clock, also after an advance.",
  after: [],
  read: ({ isSignedIn, account }) =>
    isSignedIn ? done("Signed in") : account === null ? open : { ...open, note: "Sign in again" },
  render: ({ isSignedIn }) =>
    renderCommand("signIn", "Sign in", renderButton(isSignedIn ? "Sign in again" : "Sign in with the wallet")),
};

export const signUp: Step = {
  id: "signUp",
  title: "Sign up",
  summary:
    "Ties the wallet to a mail address. With the code, the page requests one by mail and reads it from the sandbox's mailbox.",
  after: ["signIn"],
  read: ({ account }) => (account === null ? open : done(account.user.email ?? "")),
  render: ({ wallet, account }) =>
    account !== null
      ? markup`<p class="muted">User <code>${account.user.id}</code></p>`
      : renderCommand(
          "signUp",
          "Sign up",
          markup`<div class="fields">
              ${renderField("Mail address", markup`<input name="email" type="email" value="${generateEmail(wallet)}" required autocomplete="off" />`, "wide")}
            </div>
            <label class="tick"><input type="checkbox" name="withCode" data-kind="tick" checked /> Confirm the address by a code</label>
            ${renderButton("Sign up")}`,
        ),
};

export const acceptTerms: Step = {
  id: "terms",
  title: "Accept the terms",
  summary: "Accepts the current version of each document, one request per document.",
  after: ["signUp"],
  read: ({ account }) => {
    const accepted = account?.terms.filter(({ accepted: isAccepted }) => isAccepted).length ?? 0;
    return account !== null && accepted === account.terms.length ? done(`${accepted} documents`) : open;
  },
  render: ({ account }) =>
    markup`<ul class="plainlist">
        ${account?.terms.map(({ type, currentVersion }) => markup`<li><code>${type}</code> <span class="muted">${currentVersion}</span></li>`)}
      </ul>
      ${account?.terms.some(({ accepted }) => !accepted) && renderCommand("terms", "Accept the terms", renderButton("Accept all"))}`,
};
