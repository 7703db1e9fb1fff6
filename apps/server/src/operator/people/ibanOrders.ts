/** The newest payments by a user's IBAN. */
import type { UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import { renderForeign } from "../page/foreignText.ts";
import type { Table, Visit } from "../page/page.ts";
import { renderCode, renderStatus } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

export const buildIbanOrders = (visit: Visit, { ibanOrders }: UserOverview): Table =>
  buildTable(visit, {
    name: "iban-orders",
    none: "No money came or went by an IBAN.",
    rows: ibanOrders,
    columns: [
      { name: "Order", text: ({ id }) => id, cell: ({ id }) => renderCode(id) },
      { name: "Direction", text: ({ kind }) => (kind === "issue" ? "in" : "out") },
      { name: "Amount", text: ({ amount, currency }) => `${amount} ${currency.toUpperCase()}` },
      { name: "Status", text: ({ state }) => state, cell: ({ state }) => renderStatus(state) },
      {
        name: "Rejected because",
        text: ({ rejectedReason }) => rejectedReason,
        cell: ({ rejectedReason }) => renderForeign(rejectedReason),
      },
      {
        name: "Reference",
        text: ({ referenceNumber }) => referenceNumber,
        cell: ({ referenceNumber }) => renderForeign(referenceNumber),
      },
      { name: "Mint", text: ({ mintHash }) => mintHash, cell: ({ mintHash }) => renderCode(mintHash) },
      { name: "Placed", text: ({ placedAt }) => placedAt },
      { name: "Processed", text: ({ processedAt }) => processedAt },
    ],
  });
