/** The reasons for which a use of a card is declined. */
import { declineReasons, type DeclineWords } from "@cardkeep/contract/declineReasons";
import { declineCatalogue } from "@cardkeep/contract/declineWords";
import { markup, type Html, prose } from "@cardkeep/html/markup";

const results: ReadonlyMap<string, { result: string }> = new Map(Object.entries(declineReasons));

const renderDecline = ([code, { happened, remedy, user }]: readonly [string, DeclineWords]): Html =>
  markup`<tr class="entry" id="decline-${code}">
    <td><code>${code}</code></td>
    <td><code>${results.get(code)?.result ?? "Other"}</code></td>
    <td>${prose(happened)} ${prose(remedy)}</td>
    <td>${user}</td>
  </tr>`;

/** The section of the declines. */
export const renderDeclines = (): Html =>
  markup`<section id="declines">
    <h2>Declines</h2>
    <p class="lead">
      Each decline of a card has a code. Card history shows its status; the operator's pages and the issuer's
      <code>metadata.reason</code> have the code. The last column is a sentence for the cardholder. Codes that begin with
      <code>issuer_</code> are declines of the issuer, which did not ask the service or did not wait for it.
    </p>
    <table>
      <thead>
        <tr>
          <th>Code</th>
          <th>Status</th>
          <th>What happened, and what the operator does</th>
          <th>For the cardholder</th>
        </tr>
      </thead>
      <tbody>
        ${[...declineCatalogue].map(renderDecline)}
      </tbody>
    </table>
  </section>`;
