/** The desk of the identity provider: its verdicts. */
import { kycMachine, kycStatuses } from "@cardkeep/contract/verification/kyc";
import { listApplicants } from "@cardkeep/db/sandbox/applicants";
import type { PersonRow } from "@cardkeep/db/sandbox/people";
import type { KycApplicant } from "@cardkeep/db/sandbox/applicants";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { readPerson } from "../kyc/kycApplicant.ts";
import { type GeneratedPerson, generatePerson } from "../profiles/generatePerson.ts";
import { type Desk, listShown, nameOf, renderWayOn } from "./desk.ts";
import { renderAction, renderEmpty, renderField, renderKycStatus, renderSelect } from "./parts.ts";

const fields: readonly (readonly [keyof GeneratedPerson, string])[] = [
  ["firstName", "First name"],
  ["lastName", "Last name"],
  ["birthDate", "Born"],
  ["country", "Country"],
  ["nationality", "Nationality"],
];

const choices = kycStatuses.map((value) => ({ value, text: value }));

function renderPerson(person: PersonRow, applicant: KycApplicant | undefined): Html {
  const path = `/kyc/${person.id}/review`;
  const file: Readonly<Record<string, string>> =
    applicant === undefined ? { ...generatePerson(person.walletAddress ?? person.id) } : readPerson(applicant);
  return markup`<li id="applicant-${person.id}">
    <div class="head">
      <div>
        <h2>${nameOf(person)} ${renderKycStatus(person.kycStatus)}</h2>
        <p class="meta">${person.firstName !== null && markup`<span class="cut">${person.email}</span>`}
          ${applicant === undefined ? "has not applied" : `${file["firstName"]} ${file["lastName"]}, ${file["country"]}`}
          <a href="/kyc/flow/${person.id}">hosted page of this person</a></p>
      </div>
      ${renderAction({
        path,
        label: `Verdict on ${person.email}`,
        done: "The service received the verdict.",
        content: markup`<div class="row">
          <button name="outcome" value="approved" class="${person.kycStatus === "approved" && "plain"}">Approve</button>
          <button name="outcome" value="resubmissionRequested" class="plain">Ask again</button>
          <button name="outcome" value="rejected" class="plain">Reject</button>
        </div>`,
      })}
    </div>
    <details>
      <summary>Other verdict or data</summary>
      ${renderAction({
        path,
        done: "The service received the verdict.",
        content: markup`<div class="fields">
            ${renderField("Verdict", renderSelect("outcome", choices, "approved"))}
            ${fields.map(([name, label]) =>
              renderField(
                label,
                markup`<input name="applicant.${name}" value="${file[name] ?? ""}" autocomplete="off" />`,
              ),
            )}
          </div>
          <div class="row"><button>Send</button></div>`,
      })}
    </details>
  </li>`;
}

export const kyc: Desk = {
  id: "kyc",
  title: "KYC desk",
  summary: "Verdicts of the identity provider. The service receives each one as a signed callback.",
  render: async (view) => {
    const shown = listShown(view);
    if (shown.length === 0)
      return renderEmpty("No user has signed up yet.", renderWayOn("Sign one up at the Person desk", null));
    const applicants = await listApplicants(
      view.runtime.store,
      shown.map(({ id }) => id),
    );
    const machine =
      view.person && (await renderMachineState({ machine: kycMachine, title: "KYC", current: view.person.kycStatus }));
    return markup`<ol class="rows">
      ${shown.map((person) =>
        renderPerson(
          person,
          applicants.find(({ externalUserId }) => externalUserId === person.id),
        ),
      )}
    </ol>
    ${machine}`;
  },
};
