import type { Runtime } from "@cardkeep/runtime/compose";
import { escapeHtml, renderPage } from "./html.ts";
import { getApplicant, readPerson } from "./kycReview.ts";

const labels: Readonly<Record<string, string>> = {
  firstName: "First name",
  lastName: "Last name",
  birthDate: "Born",
  nationality: "Nationality",
  address1: "Address",
  address2: "",
  postalCode: "Postal code",
  city: "City",
  country: "Country",
};

const script = `
for (const button of document.querySelectorAll("button")) button.addEventListener("click", async () => {
  const output = document.querySelector("pre");
  output.textContent = "…";
  const response = await fetch("/kyc/" + encodeURIComponent(document.body.querySelector("main").dataset.user) + "/review", { method: "POST", body: JSON.stringify({ outcome: button.value }) });
  const body = await response.json();
  output.textContent = response.ok ? "The service was told: " + body.outcome : body.error;
});`;

/** The provider's hosted verification, where the person is verified by whoever looks at it. */
export async function renderFlow(runtime: Runtime, userId: string): Promise<string> {
  const person = readPerson(await getApplicant(runtime, userId));
  const rows = Object.entries(labels).map(([name, label]) => `<dt>${label}</dt><dd>${escapeHtml(person[name] ?? "")}</dd>`);
  return renderPage({
    title: "Identity verification",
    body: `<h1>Identity verification</h1><p>The sandbox's provider. In place of documents, choose what the desk decides.</p>
<main data-user="${escapeHtml(userId)}"><section><h2>Applicant</h2><dl>${rows.join("")}</dl>
<div class="row"><button value="approved">Approve</button><button class="plain" value="resubmissionRequested">Ask again</button><button class="plain" value="rejected">Reject</button></div>
<pre aria-live="polite"></pre></section></main>`,
    script,
  });
}
