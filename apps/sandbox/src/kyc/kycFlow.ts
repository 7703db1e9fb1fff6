/** The provider's hosted verification page. The person who opens it chooses the verdict. It needs no script. */
import { kycStatus, type KycStatus } from "@cardkeep/contract/verification/kyc";
import { renderDocument } from "@cardkeep/html/document";
import { markup } from "@cardkeep/html/markup";
import { z } from "zod";
import { getApplicant, readPerson } from "./kycApplicant.ts";
import { review } from "./kycReview.ts";
import { SandboxError, type SandboxForm } from "../core/route.ts";
import { style } from "../core/style.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** The console's link to the page. */
export const flowForm: SandboxForm = {
  method: "GET",
  path: "/kyc/flow/{userId}",
  summary: "The identity provider's hosted page for a person",
  input: z.object({ userId: z.string() }),
  example: {},
};

const labels: Readonly<Record<string, string>> = {
  firstName: "First name",
  lastName: "Last name",
  birthDate: "Born",
  nationality: "Nationality",
  address1: "Address",
  address2: "Address, line 2",
  postalCode: "Postal code",
  city: "City",
  state: "State",
  country: "Country",
};

const statusTexts: Readonly<Partial<Record<KycStatus, string>>> = {
  approved: "Approved. You can go back to the app.",
  resubmissionRequested: "The provider asks the person to try again.",
  rejected: "Rejected.",
};

/**
 * Renders the page with the person's present status.
 * @throws SandboxError 404 for an unknown user
 */
export const renderFlow = (runtime: SandboxRuntime, userId: string): Promise<string> => render(runtime, userId, "");

/**
 * Takes the page's form and renders the page with the result.
 * @throws SandboxError 404, 422
 */
export async function decideFlow(runtime: SandboxRuntime, userId: string, form: string): Promise<string> {
  const outcome = kycStatus.safeParse(new URLSearchParams(form).get("outcome"));
  if (!outcome.success) throw new SandboxError(422, "outcome: must be one of the KYC statuses");
  await review.run(runtime, { userId, outcome: outcome.data });
  return render(runtime, userId, statusTexts[outcome.data] ?? `The service received: ${outcome.data}.`);
}

async function render(runtime: SandboxRuntime, userId: string, message: string): Promise<string> {
  const person = readPerson(await getApplicant(runtime, userId));
  return renderDocument({
    title: "Identity verification",
    style,
    body: markup`<main class="narrow">
      <h1>Identity verification</h1>
      <p>The sandbox's provider asks for no documents. Choose a verdict.</p>
      <section class="panel">
        <h2>Applicant</h2>
        <dl>
          ${Object.entries(labels).map(
            ([name, label]) => person[name] !== undefined && markup`<dt>${label}</dt><dd>${person[name]}</dd>`,
          )}
        </dl>
        <form method="post">
          <div class="row">
            <button name="outcome" value="approved">Approve</button>
            <button name="outcome" value="resubmissionRequested" class="plain">Ask again</button>
            <button name="outcome" value="rejected" class="plain">Reject</button>
          </div>
          <p role="status">${message}</p>
        </form>
      </section>
    </main>`,
  });
}
