/** The picture of a Safe's queue, with its numbers as a table. */
import type { QueuedOperation } from "@cardkeep/domain/accounts/delays/queuedOperation";
import { drawQueue, renderQueueLegend } from "@cardkeep/html/pictures/queue";
import { chooseQueueRows, describeWait, summariseQueue } from "@cardkeep/html/pictures/queueRows";
import { buildFigure } from "../page/charts.ts";
import type { Table, Visit } from "../page/page.ts";
import { renderIdLink, renderStatus } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

interface Queue {
  readonly now: Date;
  readonly operations: readonly QueuedOperation[];
}

function build(visit: Visit, { now, operations }: Queue, summary: string, shownId: string | null): Table {
  const picture = { name: "queue", title: "Queue of the Safe", summary };
  const numbers = buildTable(visit, {
    name: "queue",
    none: "There are no operations.",
    rows: operations,
    columns: [
      { name: "Operation", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/delays", id) },
      { name: "Queue nonce", text: ({ queueNonce }) => queueNonce },
      { name: "What", text: ({ label }) => label },
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Accepted", text: ({ acceptedAt }) => acceptedAt },
      { name: "Queued", text: ({ queuedAt }) => queuedAt },
      { name: "Ready", text: ({ readyAt }) => readyAt },
      { name: "Expires", text: ({ expiresAt }) => expiresAt },
      { name: "Ended", text: ({ endedAt }) => endedAt },
      { name: "Waits", text: (operation) => describeWait(operation, now) },
    ],
  });
  const svg = drawQueue({ ...picture, now, rows: operations, shownId });
  return buildFigure(picture, svg, renderQueueLegend(operations, now), numbers);
}

/** The queue around one operation, which the page is about. */
export function buildQueueChart(visit: Visit, { shownId, ...queue }: Queue & { readonly shownId: string }): Table {
  const open = queue.operations.filter(({ endedAt }) => endedAt === null);
  const shown = queue.operations.find(({ id }) => id === shownId);
  const wait = shown ? describeWait(shown, queue.now) : "not in it";
  return build(visit, queue, `${open.length} open. This one: ${wait}.`, shownId);
}

const rowsMax = 12;

/** The queue of a Safe as it is now; null for a Safe that never had an operation. */
export function buildPresentQueue(visit: Visit, { now, operations }: Queue): Table | null {
  const chosen = chooseQueueRows(operations, rowsMax);
  if (chosen.shown.length === 0) return null;
  return build(visit, { now, operations: chosen.shown }, summariseQueue(chosen, now), null);
}
