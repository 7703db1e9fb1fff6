/** Card payments: the list. */
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { listStates } from "@cardkeep/contract/core/machine";
import { paymentMachine } from "@cardkeep/contract/spending/spending";
import type { ListedPayment } from "@cardkeep/db/queries/spending/listAllPayments";
import { listAllPayments } from "@cardkeep/domain/spending/payments/listAllPayments";
import { formatUnits } from "@cardkeep/domain/core/wording";
import { markup } from "@cardkeep/html/markup";
import { renderCents } from "./amounts.ts";
import { orNone, renderFilters } from "../page/filters.ts";
import { readForeign, renderForeign } from "../page/foreignText.ts";
import { linkTo, readChoice, readText, type ShowPage } from "../page/page.ts";
import { renderDigits, renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

/** No commit leaves a payment in REQUESTED. */
const states = listStates(paymentMachine).filter((status) => status !== "REQUESTED");

const centDecimals = 2;

/** The table of payments, as data. */
export const paymentTable = {
  name: "payments",
  none: "There are no such payments.",
  columns: [
    { name: "Payment", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/payments", id) },
    { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
    {
      name: "Amount",
      text: ({ authorizedCents }) => formatUnits(authorizedCents, centDecimals),
      cell: ({ authorizedCents, billingCurrency }) => renderCents(authorizedCents, billingCurrency),
    },
    {
      name: "Merchant",
      text: ({ merchantName }) => readForeign(merchantName),
      cell: ({ merchantName }) => renderForeign(merchantName),
    },
    {
      name: "Card",
      text: ({ lastFourDigits }) => lastFourDigits,
      cell: ({ cardId, lastFourDigits }) =>
        markup`<a href="${linkTo(`/operator/cards/${cardId}`)}">${renderDigits(lastFourDigits)}</a>`,
    },
    { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
    {
      name: "Decline",
      text: ({ status, declineReason }) => (status === "DECLINED" ? declineReason : null),
      cell: ({ status, declineReason }) => status === "DECLINED" && markup`<code>${declineReason}</code>`,
    },
    { name: "Stand-in", text: ({ standIn }) => standIn },
    { name: "At", text: ({ createdAt }) => createdAt },
  ] satisfies readonly Column<ListedPayment>[],
};

export const showPayments: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", states);
  const [user, card, merchant, reason] = ["user", "card", "merchant", "reason"].map((name) => readText(visit, name));
  const payments = await buildList(visit, {
    ...paymentTable,
    keyOf: ({ id }) => id,
    read: (position) => orNone(listAllPayments(visit.ctx, { status, user, card, merchant, reason, ...position })),
  });
  return {
    title: "Payments",
    body: markup`${renderTabs(visit, "status", states, status)}
      ${renderFilters(visit, [
        { name: "merchant", label: "Merchant begins with" },
        { name: "user", label: "User, wallet or Safe" },
        { name: "card", label: "Card or card token" },
        { name: "reason", label: "Decline", values: [...declineCatalogue.keys()] },
      ])}
      ${payments}`,
    tables: [payments],
  };
};
