/** The steps that verify a person: identity, source of funds, phone. */
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import { markup } from "@cardkeep/html/markup";
import { generatePhone } from "../../profiles/generatePerson.ts";
import { renderAction, renderField, renderKycStatus } from "../parts.ts";
import { done, open, type Progress, renderCommand, renderButton, type Step } from "./step.ts";

const verdictNotes: Readonly<Record<KycStatus, Progress>> = {
  notStarted: open,
  documentsRequested: open,
  pending: { state: "waiting", note: "The provider has the documents" },
  processing: { state: "waiting", note: "The provider is checking" },
  requiresAction: { state: "waiting", note: "A person at the provider reviews it" },
  approved: done("Approved"),
  resubmissionRequested: { state: "failed", note: "The provider asks for better documents" },
  rejected: { state: "failed", note: "The provider rejected the person" },
};

export const identity: Step = {
  id: "identity",
  title: "Verify the identity",
  summary:
    "The service answers with a link to the provider's hosted page. In the sandbox no documents are asked for: decide here or there, and the service receives the verdict as a signed callback.",
  after: ["signUp"],
  read: ({ account }) => (account === null ? open : verdictNotes[account.user.kycStatus]),
  render: ({ account }) =>
    account === null
      ? markup``
      : markup`<p>${renderKycStatus(account.user.kycStatus)}
          ${account.user.firstName !== null && markup`${account.user.firstName} ${account.user.lastName}, ${account.user.address1}, ${account.user.postalCode} ${account.user.city}`}</p>
        ${account.user.kycStatus !== "approved" && renderCommand("identity", "Open the hosted page", renderButton("Ask for the hosted page", "plain"))}
        ${renderAction({
          path: `/kyc/${account.user.id}/review`,
          label: "Verdict of the provider",
          done: "The service received the verdict.",
          content: markup`<div class="row">
            <button name="outcome" value="approved" class="${account.user.kycStatus === "approved" && "plain"}">Approve</button>
            <button name="outcome" value="resubmissionRequested" class="plain">Ask again</button>
            <button name="outcome" value="rejected" class="plain">Reject</button>
          </div>`,
        })}`,
};

export const funds: Step = {
  id: "funds",
  title: "Answer for the source of funds",
  summary: "All questions are answered in one request. The first answer of each question always passes.",
  after: ["signUp"],
  read: ({ account }) => (account?.user.isSourceOfFundsAnswered === true ? done("Answered") : open),
  render: ({ account }) =>
    account?.user.isSourceOfFundsAnswered === true
      ? markup`<p class="muted">The questions are answered.</p>`
      : renderCommand(
          "funds",
          "Source of funds",
          markup`<div class="fields one">
              ${account?.questions.map(({ question, answers }, index) =>
                renderField(
                  question,
                  markup`<select name="answers.${index}" required>
                    ${answers.map((answer) => markup`<option>${answer}</option>`)}
                  </select>`,
                ),
              )}
            </div>
            ${renderButton("Send the answers")}`,
        ),
};

export const phone: Step = {
  id: "phone",
  title: "Validate the phone",
  summary: "The service sends a code by text message. The page reads it from the sandbox's phone and sends it back.",
  after: ["identity"],
  read: ({ account }) => (account?.user.isPhoneValidated === true ? done(account.user.phone ?? "") : open),
  render: ({ wallet, account }) =>
    account?.user.isPhoneValidated === true
      ? markup`<p class="muted">The number is validated.</p>`
      : renderCommand(
          "phone",
          "Validate the phone",
          markup`<div class="fields">
              ${renderField("Phone number", markup`<input name="phoneNumber" type="tel" value="${generatePhone(wallet)}" required autocomplete="off" />`)}
            </div>
            ${renderButton("Send the code and confirm it")}`,
        ),
};
