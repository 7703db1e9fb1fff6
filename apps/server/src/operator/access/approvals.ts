/** Requests that wait for a second person, and the decision about each. */
import type { OperatorApproval } from "@cardkeep/db/queries/operators/approvals";
import { listStates } from "@cardkeep/contract/core/machine";
import { approvalMachine } from "@cardkeep/contract/operators/approvals";
import { approveRequest, listApprovals, rejectRequest } from "@cardkeep/domain/operations/executors/decideApproval";
import { findVerbRow, isOperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, readChoice, type ShowPage, type Visit } from "../page/page.ts";
import { renderCode, renderFields, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

/** Forms on one page; the list has the others. */
const shownMax = 50;

const describeVerb = ({ verb }: OperatorApproval): string => (isOperatorVerb(verb) ? findVerbRow(verb).text : verb);

const describeInput = ({ input }: OperatorApproval): string =>
  Object.entries(input)
    .filter(([name]) => name !== "sealed")
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("; ");

const approvalTable = {
  name: "approvals",
  none: "There are no such requests.",
  columns: [
    { name: "Request", text: ({ id }) => id, cell: ({ id }) => renderCode(id) },
    { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
    { name: "Verb", text: ({ verb }) => verb },
    { name: "Input", text: describeInput },
    { name: "Asked by", text: ({ askedByName }) => askedByName },
    { name: "Reason", text: ({ reason }) => reason },
    { name: "Asked at", text: ({ askedAt }) => askedAt },
    { name: "Decided by", text: ({ decidedByName }) => decidedByName },
    { name: "Decided at", text: ({ decidedAt }) => decidedAt },
  ] satisfies readonly Column<OperatorApproval>[],
};

/** The forms that this operator may use. The one who asked may take the request back, and never approve it. */
function renderDecision(visit: Visit, request: OperatorApproval): Html {
  const { id, verb } = request;
  const { actor } = visit.ctx;
  const isOwn = request.askedById === actor.id;
  const mayRun = isOperatorVerb(verb) && may(visit, verb);
  const mayApprove = mayRun && !isOwn && actor.proof === "oidc" && may(visit, "approvals.approve");
  return markup`${
    mayApprove &&
    renderConfirm({
      action: `/operator/approvals/${id}/approve`,
      label: `Approve: ${describeVerb(request)}`,
      consequence: `${verb} runs at once. The action log names ${request.askedByName} and you.`,
      reason: "optional",
      isDanger: true,
    })
  }
  ${
    mayRun &&
    may(visit, "approvals.reject") &&
    renderConfirm({
      action: `/operator/approvals/${id}/reject`,
      label: isOwn ? "Take this request back" : "Reject this request",
      consequence: "The request ends, and nothing is run.",
    })
  }
  ${isOwn && markup`<p class="none">You asked for it, so another person approves it.</p>`}`;
}

const renderWaiting = (visit: Visit, request: OperatorApproval): Html =>
  markup`<section class="panel waiting">
    <h2>${describeVerb(request)}</h2>
    ${renderFields([
      ["Subject", markup`${request.subjectKind} ${renderCode(request.subjectId)}`],
      ["Input", describeInput(request)],
      ["Asked by", `${request.askedByName} (${request.askedById})`],
      ["Reason", request.reason ?? "–"],
      ["Asked at", renderTime(request.askedAt)],
      ["Ends at", renderTime(request.expiresAt)],
    ])}
    ${renderDecision(visit, request)}
  </section>`;

const statuses = listStates(approvalMachine);

export const showApprovals: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", statuses);
  const [waiting, approvals] = await Promise.all([
    listApprovals(visit.ctx, { status: "WAITING", limit: shownMax }),
    buildList(visit, {
      ...approvalTable,
      keyOf: ({ id }) => id,
      read: (position) => listApprovals(visit.ctx, { status, ...position }),
    }),
  ]);
  return {
    title: "Approvals",
    body: markup`<p class="lead">
        Some changes need a second person. They run when that person approves them, and end a day after they were asked
        for.
      </p>
      ${waiting.map((request) => renderWaiting(visit, request))}
      <h2>All requests</h2>
      ${renderTabs(visit, "status", statuses, status)} ${approvals}`,
    tables: [approvals],
  };
};

export const approve: Action = async ({ ctx, params }) => {
  await approveRequest(ctx, { id: params["id"] ?? "" });
  return linkTo("/operator/approvals", { done: "approved" });
};

export const reject: Action = async ({ ctx, params }) => {
  await rejectRequest(ctx, { id: params["id"] ?? "" });
  return linkTo("/operator/approvals", { done: "rejected" });
};
