/** Cases: the list, and one case with the form that closes it. */
import { cardCaseKindNames, cardCaseKinds, cardCaseStatuses } from "@cardkeep/contract/spending/cardCases";
import type { CardCase } from "@cardkeep/db/queries/spending/cases";
import { acceptCase, closeCase, getCase, listCases } from "@cardkeep/domain/spending/cases/listCases";
import { formatMinor } from "@cardkeep/domain/spending/payments/formatMoney";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderConfirm } from "../page/confirm.ts";
import { orNone, renderFilters } from "../page/filters.ts";
import { type Action, linkTo, may, readChoice, readText, type ShowPage, type Visit } from "../page/page.ts";
import { renderCode, renderFields, renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

const page = "/operator/cases";

const renderAmount = ({ amountCents, currency }: CardCase): Html =>
  markup`<span class="amount">${formatMinor(amountCents, currency)}</span>`;

/** The table of cases, as data. */
const caseTable = {
  name: "cases",
  none: "There are no such cases.",
  columns: [
    { name: "Case", text: ({ id }) => id, cell: ({ id }) => renderIdLink(page, id) },
    { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
    { name: "Kind", text: ({ kind }) => kind, cell: ({ kind }) => markup`<code>${kind}</code>` },
    { name: "Amount", text: ({ amountCents, currency }) => formatMinor(amountCents, currency), cell: renderAmount },
    {
      name: "Payment",
      text: ({ paymentId }) => paymentId,
      cell: ({ paymentId }) => paymentId && renderIdLink("/operator/payments", paymentId),
    },
    { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
    { name: "Opened", text: ({ createdAt }) => createdAt },
    { name: "Closed", text: ({ closedAt }) => closedAt },
  ] satisfies readonly Column<CardCase>[],
};

export const showCases: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", cardCaseStatuses);
  const kind = readChoice(visit, "kind", cardCaseKindNames);
  const [user, payment] = ["user", "payment"].map((name) => readText(visit, name));
  const cases = await buildList(visit, {
    ...caseTable,
    keyOf: ({ id }) => id,
    read: (position) => orNone(listCases(visit.ctx, { status, kind, user, payment, ...position })),
  });
  return {
    title: "Cases",
    body: markup`${renderTabs(visit, "status", cardCaseStatuses, status)}
      <p class="lead">${kind === null ? "What card money needs settled by hand." : `${cardCaseKinds[kind]}.`}</p>
      ${renderFilters(visit, [
        { name: "kind", label: "Kind", values: cardCaseKindNames },
        { name: "user", label: "User, wallet or Safe" },
        { name: "payment", label: "Payment" },
      ])}
      ${cases}`,
    tables: [cases],
  };
};

const renderAccept = (visit: Visit, { id, status, threadId }: CardCase): Html | false =>
  status === "OPEN" &&
  threadId !== null &&
  may(visit, "cases.accept") &&
  markup`<div class="actions">${renderConfirm({
    action: `${page}/${id}/accept`,
    label: "Book it all the same",
    consequence: "A second capture is collected from the Safe, a credit is paid to it. Other cases cannot be accepted.",
    isDanger: true,
  })}</div>`;

const renderClose = (visit: Visit, { id, status }: CardCase): Html | false =>
  status === "OPEN" &&
  may(visit, "cases.close") &&
  markup`<div class="actions">${renderConfirm({
    action: `${page}/${id}/close`,
    label: "Close this case",
    consequence: "It is settled. No money moves by this. If its amount grows later, it opens again.",
  })}</div>`;

export const showCase: ShowPage = async (visit) => {
  const shown = await getCase(visit.ctx, { id: visit.params["id"] ?? "" });
  return {
    title: "Case",
    body: markup`${renderFields([
      ["Id", renderCode(shown.id)],
      ["Status", renderStatus(shown.status)],
      ["Kind", markup`<code>${shown.kind}</code> ${cardCaseKinds[shown.kind]}.`],
      ["Amount", renderAmount(shown)],
      ["What happened", shown.note],
      ["Payment", shown.paymentId && renderIdLink("/operator/payments", shown.paymentId)],
      ["Dispute", shown.disputeId && renderIdLink("/operator/disputes", shown.disputeId)],
      ["Order", shown.orderId && renderIdLink("/operator/orders", shown.orderId)],
      ["IBAN order", renderCode(shown.ibanOrderId)],
      ["Mint", renderCode(shown.mintId)],
      ["Thread at the issuer", renderCode(shown.threadId)],
      ["User", renderIdLink("/operator/users", shown.userId)],
      ["Request", renderCode(shown.requestId)],
      ["Opened", renderTime(shown.createdAt)],
      ["To settle by", renderTime(shown.dueAt)],
      [
        shown.status === "OPEN" ? "Closed before" : "Closed",
        shown.closedAt && markup`${renderTime(shown.closedAt)} by ${shown.closedBy}`,
      ],
      ["How it was settled", shown.closeReason],
    ])}
    ${renderAccept(visit, shown)} ${renderClose(visit, shown)}
    <p class="pager"><a href="${linkTo("/operator/actions", { subject: shown.id })}">What operators did to this case</a></p>`,
  };
};

export const close: Action = async ({ ctx, params }) => {
  const { id } = await closeCase(ctx, { id: params["id"] ?? "" });
  return linkTo(`${page}/${id}`, { done: "done" });
};

export const accept: Action = async ({ ctx, params }) => {
  const { id } = await acceptCase(ctx, { id: params["id"] ?? "" });
  return linkTo(`${page}/${id}`, { done: "done" });
};
