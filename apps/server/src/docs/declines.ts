/** The page of the reasons for which a use of a card is declined. */
import { declineReasons, type DeclineWords } from "@cardkeep/contract/spending/declineReasons";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { renderLink } from "./heading.ts";

const results: ReadonlyMap<string, { result: string }> = new Map(Object.entries(declineReasons));

const renderDecline = ([code, { happened, remedy, user }]: readonly [string, DeclineWords]): Html =>
  markup`<tr class="entry" id="decline-${code}">
    <td><code>${code}</code> ${renderLink(`decline-${code}`)}</td>
    <td><code>${results.get(code)?.result ?? "Other"}</code></td>
    <td>${prose(happened)} ${prose(remedy)}</td>
    <td>${user}</td>
  </tr>`;

export const renderDeclines = (): Html =>
  markup`<table>
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
    </table>`;
