/** What operators did: the log, one action with both states, and whether the chain of hashes is whole. */
import { formatWay } from "@cardkeep/domain/core/wording";
import { compareFacts, getAction, listActions } from "@cardkeep/domain/core/operators/listActions";
import { operatorChanges } from "@cardkeep/domain/core/operators/verbs";
import { type ActionVerification, verifyActions } from "@cardkeep/domain/core/operators/verifyActions";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderFilters } from "../page/filters.ts";
import { linkTo, readChoice, readText, type ShowPage } from "../page/page.ts";
import { renderCode, renderFields } from "../page/parts.ts";
import { buildList, buildTable, type Column } from "../page/table.ts";

type ActionRow = Awaited<ReturnType<typeof getAction>>;

/** So many of the newest actions are verified for each view of the page. */
const verifiedMax = 200;

/** Pages of subjects, by their kinds. */
const subjectPages: Readonly<Record<string, string>> = {
  user: "/operator/users",
  delivery: "/operator/deliveries",
};

function renderSubject({ subjectKind, subjectId, verb }: ActionRow): Html {
  const page = verb === "users.erase" || verb === "users.erase-again" ? undefined : subjectPages[subjectKind];
  const id = renderCode(subjectId);
  return markup`${subjectKind} ${page === undefined ? id : markup`<a href="${page}/${encodeURIComponent(subjectId)}">${id}</a>`}`;
}

const actionTable = {
  name: "actions",
  none: "There are no such actions.",
  columns: [
    {
      name: "Action",
      text: ({ sequence }) => sequence,
      cell: ({ sequence }) => markup`<a href="/operator/actions/${String(sequence)}">${String(sequence)}</a>`,
    },
    { name: "At", text: ({ at }) => at },
    { name: "Operator", text: ({ operatorName }) => operatorName },
    { name: "By", text: formatWay },
    { name: "Verb", text: ({ verb }) => verb },
    {
      name: "Subject",
      text: ({ subjectKind, subjectId }) => `${subjectKind} ${subjectId}`,
      cell: renderSubject,
    },
    {
      name: "Change",
      text: (action) =>
        compareFacts(action)
          .map(({ name, before, after }) => `${name}: ${before} → ${after}`)
          .join("; "),
    },
    { name: "Reason", text: ({ reason }) => reason },
    { name: "Approved by", text: ({ approverName }) => approverName },
  ] satisfies readonly Column<ActionRow>[],
};

function renderVerification({ from, head, faults }: ActionVerification): Html {
  if (faults.length > 0)
    return markup`<div class="notice refusal" role="alert">
      <p><strong>The log is not as it was written.</strong> Run <code>cardkeep actions verify</code>.</p>
      ${faults.map(({ sequence, text }) => markup`<p>Action ${sequence}: ${text}</p>`)}
    </div>`;
  return markup`<p class="lead">
    The chain of the actions ${from} to ${head.sequence} was verified for this page. The last hash is
    <code>${head.hash}</code>. <code>cardkeep actions verify</code> verifies all of them, and
    <code>cardkeep actions export</code> writes them for an auditor.
  </p>`;
}

const filters = [
  { name: "operator", label: "Operator's id" },
  { name: "subject", label: "Subject's id" },
  { name: "verb", label: "Verb", values: operatorChanges },
];

export const showActions: ShowPage = async (visit) => {
  const [operator, subject] = [readText(visit, "operator"), readText(visit, "subject")];
  const verb = readChoice(visit, "verb", operatorChanges);
  const [actions, verification] = await Promise.all([
    buildList(visit, {
      ...actionTable,
      keyOf: ({ sequence }) => String(sequence),
      read: (position) => listActions(visit.ctx, { operatorId: operator, subjectId: subject, verb, ...position }),
    }),
    verifyActions(visit.ctx, { newest: verifiedMax }),
  ]);
  return {
    title: "Actions",
    body: markup`${renderVerification(verification)} ${renderFilters(visit, filters)} ${actions}`,
    tables: [actions],
  };
};

export const showAction: ShowPage = async (visit) => {
  const action = await getAction(visit.ctx, { sequence: visit.params["id"] ?? "" });
  const facts = buildTable(visit, {
    name: "facts",
    none: "The action changed no recorded state.",
    rows: compareFacts(action),
    columns: [
      { name: "What", text: ({ name }) => name },
      { name: "Before", text: ({ before }) => before },
      {
        name: "After",
        text: ({ after }) => after,
        cell: ({ before, after }) => (before === after ? after : markup`<strong>${after}</strong>`),
      },
    ],
  });
  const { operatorId, subjectId } = action;
  return {
    title: `Action ${action.sequence}`,
    body: markup`${renderFields([
      ["At", renderTime(action.at)],
      ["Operator", action.operatorName],
      [
        "All by this operator",
        markup`<a href="${linkTo("/operator/actions", { operator: operatorId })}">${operatorId}</a>`,
      ],
      ["By", formatWay(action)],
      ["Verb", renderCode(action.verb)],
      ["Subject", renderSubject(action)],
      ["All its actions", markup`<a href="${linkTo("/operator/actions", { subject: subjectId })}">${subjectId}</a>`],
      ["Reason", action.reason ?? "–"],
      ["Approved by", action.approverName === null ? "–" : `${action.approverName} (${action.approverId})`],
      ["Request", renderCode(action.requestId)],
      ["Hash", renderCode(action.hash)],
      ["Hash before it", renderCode(action.previousHash)],
    ])}
      <h2>Before and after</h2>
      ${facts}`,
    tables: [facts],
  };
};
