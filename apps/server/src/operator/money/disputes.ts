/** Disputes: the list, and one dispute with what operators may do before its submission. */
import { disputeMachine } from "@cardkeep/contract/spending/disputes";
import { disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import { listStates } from "@cardkeep/contract/core/machine";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import { draftDisputeStatuses } from "@cardkeep/db/schema/spending/disputes";
import { grantCredit, revokeCredit } from "@cardkeep/domain/spending/disputes/decideCredit";
import {
  type DisputeDetails,
  dueDays,
  getDisputeDetails,
  listAllDisputes,
} from "@cardkeep/domain/spending/disputes/listAllDisputes";
import { submitDispute, withdrawDispute } from "@cardkeep/domain/spending/disputes/submitDispute";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import type { PassedState } from "@cardkeep/html/pictures/machineWay";
import { renderTime } from "@cardkeep/html/time";
import { renderCents } from "./amounts.ts";
import { renderConfirm } from "../page/confirm.ts";
import { orNone, renderFilters } from "../page/filters.ts";
import { type Action, linkTo, may, readChoice, readText, type ShowPage, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderFields, renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, buildTable, type Column } from "../page/table.ts";

const page = "/operator/disputes";
const states = listStates(disputeMachine);
const choices = ["due"] as const;

/** The table of disputes, as data. */
const disputeTable = {
  name: "disputes",
  none: "There are no such disputes.",
  columns: [
    { name: "Dispute", text: ({ id }) => id, cell: ({ id }) => renderIdLink(page, id) },
    { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
    { name: "Reason", text: ({ reason }) => disputeReasons[reason] },
    { name: "Cents", text: ({ amountCents }) => amountCents },
    { name: "Paid by the issuer, cents", text: ({ reinstatedCents }) => reinstatedCents },
    {
      name: "Payment",
      text: ({ paymentId }) => paymentId,
      cell: ({ paymentId }) => renderIdLink("/operator/payments", paymentId),
    },
    { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
    { name: "Submit by", text: ({ submitBy }) => submitBy },
    { name: "Asked for", text: ({ createdAt }) => createdAt },
  ] satisfies readonly Column<CardDispute>[],
};

/** The states whose instants the dispute keeps. */
const listPassed = ({ dispute: { status, createdAt, submittedAt } }: DisputeDetails): PassedState[] =>
  [
    { state: "requested", at: createdAt },
    ...(submittedAt === null ? [] : [{ state: "submitted", at: submittedAt }]),
  ].filter(({ state }) => state !== status);

export const showDisputes: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", states);
  const isDue = readChoice(visit, "submission", choices) !== null;
  const user = readText(visit, "user");
  const disputes = await buildList(visit, {
    ...disputeTable,
    keyOf: ({ id }) => id,
    read: (position) => orNone(listAllDisputes(visit.ctx, { status, user, isDue, ...position })),
  });
  return {
    title: "Disputes",
    body: markup`${renderTabs(visit, "status", states, status)}
      <p class="lead">${isDue ? `To be submitted within ${dueDays} days.` : "Disputes of card payments, and what became of them."}</p>
      ${renderFilters(visit, [
        { name: "submission", label: "Submission", values: choices },
        { name: "user", label: "User, wallet or Safe" },
      ])}
      ${disputes}`,
    tables: [disputes],
  };
};

/** What operators decide about the money of a report of fraud. */
function renderCredit(visit: Visit, { id, creditDueAt, creditCents }: CardDispute): Html | false {
  if (creditDueAt === null) return false;
  if (creditCents === 0n)
    return (
      may(visit, "disputes.credit") &&
      renderConfirm({
        action: `${page}/${id}/credit`,
        label: "Return the money",
        consequence:
          "The worker returns what the payment moved to the Safe, at your cost until the issuer pays. You can withdraw it.",
      })
    );
  return (
    may(visit, "disputes.revoke") &&
    renderConfirm({
      action: `${page}/${id}/revoke`,
      label: "Withdraw the returned money",
      consequence: "It is collected from the Safe again. What the Safe lacks becomes a debt and a case.",
      isDanger: true,
    })
  );
}

function renderActs(visit: Visit, { dispute }: DisputeDetails): Html {
  const { id, status } = dispute;
  const submit =
    status === "created" &&
    may(visit, "disputes.submit") &&
    renderConfirm({
      action: `${page}/${id}/submit`,
      label: "Submit now",
      consequence:
        "The worker hands the evidence on and submits the dispute, also where something is missing. The issuer may refuse " +
        "that. Nothing can be added afterwards.",
      fields: markup`<label>Explanation for the issuer (optional) <textarea name="explanation" rows="3" maxlength="2500"></textarea></label>`,
    });
  const withdraw =
    draftDisputeStatuses.includes(status) &&
    may(visit, "disputes.withdraw") &&
    renderConfirm({
      action: `${page}/${id}/withdraw`,
      label: "Withdraw",
      consequence: "The dispute ends, and the payment cannot be disputed again. It cannot be undone.",
      isDanger: true,
    });
  return markup`<div class="actions">${submit}${withdraw}${renderCredit(visit, dispute)}</div>`;
}

const buildEvidence = (visit: Visit, { evidence }: DisputeDetails): Table =>
  buildTable(visit, {
    name: "evidence",
    none: "The user gave no evidence.",
    rows: evidence,
    columns: [
      { name: "Piece", text: ({ slot }) => slot },
      { name: "Holds", text: ({ fields, mediaType }) => mediaType ?? fields.join(", ") },
      { name: "Bytes", text: ({ size }) => size },
      { name: "Given", text: ({ createdAt }) => createdAt },
      { name: "With the issuer", text: ({ handedAt }) => handedAt },
    ],
  });

export const showDispute: ShowPage = async (visit) => {
  const details = await getDisputeDetails(visit.ctx, { reference: visit.params["id"] ?? "" });
  const { dispute, payment, missing } = details;
  const currency = payment?.billingCurrency ?? "";
  const evidence = buildEvidence(visit, details);
  return {
    title: "Dispute",
    body: markup`${renderFields([
      ["Id", renderCode(dispute.id)],
      ["Status", renderStatus(dispute.status)],
      ["Means", `${disputeMachine.states[dispute.status].means}.`],
      ["Reason", disputeReasons[dispute.reason]],
      ["Amount", dispute.amountCents !== null && renderCents(dispute.amountCents, currency)],
      ["Paid by the issuer", renderCents(dispute.reinstatedCents, currency)],
      ["Reason of the loss", dispute.lossReason],
      ["At the issuer", renderCode(dispute.issuerDisputeId)],
      ["Disputed capture", renderCode(dispute.claimId)],
      ["Payment", renderIdLink("/operator/payments", dispute.paymentId)],
      ["User", renderIdLink("/operator/users", dispute.userId)],
      ["Request", renderCode(dispute.requestId)],
      ["Asked for", renderTime(dispute.createdAt)],
      ["Submit by", renderTime(dispute.submitBy)],
      ["Submitted", renderTime(dispute.submittedAt)],
      ["Return due by law", renderTime(dispute.creditDueAt)],
      ["Returned for it", dispute.creditCents > 0n && renderCents(dispute.creditCents, currency)],
      ["Ended", renderTime(dispute.closedAt)],
      ["Still missing", missing.join(", ")],
    ])}
    ${await renderMachineState({ machine: disputeMachine, title: "Dispute", current: dispute.status, history: listPassed(details) })}
    ${renderActs(visit, details)}
    <h2>Evidence</h2>
    ${evidence}
    <p class="pager"><a href="${linkTo("/operator/cases", { payment: dispute.paymentId })}">Cases of this payment</a>
      <a href="${linkTo("/operator/actions", { subject: dispute.paymentId })}">What operators did to this payment</a></p>`,
    tables: [evidence],
  };
};

export const submit: Action = async ({ ctx, params, form }) => {
  const explanation = (form.get("explanation") ?? "").trim();
  const { id } = await submitDispute(ctx, { reference: params["id"] ?? "", explanation });
  return linkTo(`${page}/${id}`, { done: "done" });
};

export const withdraw: Action = async ({ ctx, params }) => {
  const { id } = await withdrawDispute(ctx, { reference: params["id"] ?? "" });
  return linkTo(`${page}/${id}`, { done: "done" });
};

export const credit: Action = async ({ ctx, params }) => {
  const { id } = await grantCredit(ctx, { reference: params["id"] ?? "" });
  return linkTo(`${page}/${id}`, { done: "done" });
};

export const revoke: Action = async ({ ctx, params }) => {
  const { id } = await revokeCredit(ctx, { reference: params["id"] ?? "" });
  return linkTo(`${page}/${id}`, { done: "done" });
};
