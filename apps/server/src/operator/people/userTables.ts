/** Tables of one user's page: Safes, wallets, subscriptions, and what changed a Safe. */
import type { UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import { markup } from "@cardkeep/html/markup";
import { linkTo, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderStatus } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

export function buildSafes(visit: Visit, { safes }: UserOverview): Table {
  return buildTable(visit, {
    name: "safes",
    none: "There is no Safe.",
    rows: safes,
    columns: [
      { name: "Safe", text: ({ address }) => address, cell: ({ address }) => renderCode(address) },
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Token", text: ({ tokenSymbol }) => tokenSymbol },
      { name: "Created", text: ({ createdAt }) => createdAt },
    ],
  });
}

export const buildWallets = (visit: Visit, { signInWallets }: UserOverview): Table =>
  buildTable(visit, {
    name: "wallets",
    none: "There is no wallet.",
    rows: signInWallets,
    columns: [
      { name: "Wallet", text: ({ address }) => address, cell: ({ address }) => renderCode(address) },
      { name: "Added", text: ({ createdAt }) => createdAt },
      { name: "Signed first", text: ({ provenAt }) => provenAt },
    ],
  });

export const buildSubscriptions = (visit: Visit, { subscriptions }: UserOverview): Table =>
  buildTable(visit, {
    name: "subscriptions",
    none: "No partner subscribes to this user.",
    rows: subscriptions,
    columns: [
      {
        name: "Partner",
        text: ({ partnerId }) => partnerId,
        cell: ({ partnerId }) =>
          markup`<a href="${linkTo("/operator/deliveries", { partner: partnerId })}">${partnerId}</a>`,
      },
      { name: "Deliveries so far", text: ({ lastSequence }) => lastSequence },
      { name: "Since", text: ({ createdAt }) => createdAt },
      { name: "Ended", text: ({ endedAt }) => endedAt },
    ],
  });

export const buildViolations = (visit: Visit, { violations }: UserOverview): Table =>
  buildTable(visit, {
    name: "violations",
    none: "",
    rows: violations,
    columns: [
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Queue entry or spend", text: ({ reason }) => reason },
      { name: "Transaction", text: ({ hash }) => hash, cell: ({ hash }) => renderCode(hash) },
      { name: "Seen", text: ({ seenAt }) => seenAt },
    ],
  });
