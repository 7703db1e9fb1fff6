/** What the card issuer sent: handled, ignored on purpose, unmatched, and unknown to this version. */
import { issuerCallbackOutcomes } from "@cardkeep/db/schema/cards/cards";
import { listIssuerCallbacks, type ListedIssuerCallback } from "@cardkeep/domain/cards/cards/listIssuerCallbacks";
import { markup } from "@cardkeep/html/markup";
import { renderFilters } from "../page/filters.ts";
import { renderForeign } from "../page/foreignText.ts";
import { readChoice, readText, type ShowPage } from "../page/page.ts";
import { renderCode, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

const columns: readonly Column<ListedIssuerCallback>[] = [
  { name: "Received", text: ({ receivedAt }) => receivedAt },
  { name: "Type", text: ({ type }) => type, cell: ({ type }) => renderForeign(type) },
  { name: "Outcome", text: ({ outcome }) => outcome, cell: ({ outcome }) => renderStatus(outcome) },
  { name: "Object", text: ({ objectId }) => objectId, cell: ({ objectId }) => renderCode(objectId) },
  { name: "What it means", text: ({ text }) => text },
  { name: "Callback", text: ({ id }) => id, cell: ({ id }) => renderCode(id) },
];

export const showCallbacks: ShowPage = async (visit) => {
  const outcome = readChoice(visit, "outcome", issuerCallbackOutcomes);
  const callbacks = await buildList(visit, {
    name: "callbacks",
    none: "The card issuer sent no such callback within 30 days.",
    columns,
    keyOf: ({ id }) => id,
    read: (position) => listIssuerCallbacks(visit.ctx, { outcome, type: readText(visit, "type"), ...position }),
  });
  return {
    title: "Callbacks",
    body: markup`<p class="lead">
        What the card issuer sent within 30 days. Unknown types need a newer version. Unmatched ones are about objects that
        were made elsewhere.
      </p>
      ${renderTabs(visit, "outcome", issuerCallbackOutcomes, outcome)}
      ${renderFilters(visit, [{ name: "type", label: "Type" }])} ${callbacks}`,
    tables: [callbacks],
  };
};
