/** Who is signed in, and the form that ends a session. */
import { formatWay } from "@cardkeep/domain/core/wording";
import { endSession, listSessions, type SessionDetails } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { markup } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type ShowPage, type Visit } from "../page/page.ts";
import { buildTable, type Column } from "../page/table.ts";

const listColumns = (visit: Visit): readonly Column<SessionDetails>[] => [
  {
    name: "Operator",
    text: ({ actor }) => actor.id,
    cell: ({ actor, mail }) =>
      markup`${actor.name}${mail !== null && mail !== actor.name && markup`<br /><small>${mail}</small>`}<br /><small>${actor.id}</small>`,
  },
  { name: "By", text: ({ actor }) => formatWay(actor) },
  { name: "Roles", text: ({ actor }) => actor.roles.join(", ") },
  { name: "Signed in", text: ({ startedAt }) => startedAt },
  { name: "Last seen", text: ({ seenAt }) => seenAt },
  { name: "Ends", text: ({ endsAt }) => endsAt },
  {
    name: "Session",
    text: ({ id }) => id,
    cell: ({ id, actor }) =>
      may(visit, "operators.end") &&
      renderConfirm({
        action: `/operator/operators/${id}/end`,
        label: "End this session",
        consequence: `The session of ${actor.name} is over at once on every server. The person may sign in again.`,
      }),
  },
];

export const showOperators: ShowPage = async (visit) => {
  const sessions = buildTable(visit, {
    name: "operators",
    none: "There are no sessions.",
    rows: await listSessions(visit.ctx),
    columns: listColumns(visit),
  });
  return {
    title: "Operators",
    body: markup`<p class="lead">The operators who are signed in now, in browsers and at terminals.</p>
      ${sessions}`,
    tables: [sessions],
  };
};

export const endOperator: Action = async ({ ctx, params }) => {
  await endSession(ctx, params["id"] ?? "");
  return linkTo("/operator/operators", { done: "ended", count: 1 });
};
