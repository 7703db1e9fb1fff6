/** The periodic work of the workers: when each was last done, by which worker, and whether it is late. */
import { formatAge } from "@cardkeep/contract/core/durations";
import { type ChoreState, listChores } from "@cardkeep/domain/operations/housekeeping/chores";
import { markup } from "@cardkeep/html/markup";
import type { ShowPage } from "../page/page.ts";
import { renderCode, renderStatus } from "../page/parts.ts";
import { buildTable, type Column } from "../page/table.ts";

const stateOf = ({ seconds, limitSeconds }: ChoreState): string => (seconds > limitSeconds ? "fault" : "ok");

const columns: readonly Column<ChoreState>[] = [
  { name: "Chore", text: ({ name }) => name, cell: ({ name }) => renderCode(name) },
  { name: "Is", text: stateOf, cell: (chore) => renderStatus(stateOf(chore)) },
  {
    name: "Every",
    text: ({ periodSeconds }) => formatAge(periodSeconds),
  },
  {
    name: "Last success",
    text: ({ seconds, succeeded }) => (succeeded ? `${formatAge(seconds)} ago` : "never"),
  },
  {
    name: "Late after",
    text: ({ limitSeconds }) => formatAge(limitSeconds),
  },
  { name: "Worker", text: ({ worker }) => worker, cell: ({ worker }) => renderCode(worker) },
];

export const showChores: ShowPage = async (visit) => {
  const chores = buildTable(visit, {
    name: "chores",
    none: "No worker has run yet.",
    rows: await listChores(visit.ctx),
    columns,
  });
  return {
    title: "Chores",
    body: markup`<p class="lead">
        Every worker does every chore. A success is recorded every few seconds at most. One that is late fails, hangs, or no
        worker runs: the worker's log has the reason.
      </p>
      ${chores}`,
    tables: [chores],
  };
};
