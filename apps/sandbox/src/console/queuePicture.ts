import type { QueuedOperation } from "@cardkeep/domain/delays/queuedOperation";
import type { Html } from "@cardkeep/html/markup";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { drawQueue, renderQueueLegend } from "@cardkeep/html/pictures/queue";
import { chooseQueueRows } from "@cardkeep/html/pictures/queueRows";

const rowsMax = 12;

/** The queue of a Safe as a picture; the desk lists the same operations in words. */
export function renderQueue({
  name,
  now,
  operations,
}: {
  name: string;
  now: Date;
  operations: readonly QueuedOperation[];
}): Html {
  const { shown, open, left } = chooseQueueRows(operations, rowsMax);
  const rest = left === 0 ? "" : ` ${left} more are not drawn.`;
  const summary = `${open === 0 ? "Nothing is queued. These ended last." : `${open} open.`}${rest}`;
  const picture = { name, title: "Delay queue", summary };
  return renderFigure(picture, {
    svg: drawQueue({ ...picture, now, rows: shown }),
    legend: renderQueueLegend(shown, now),
  });
}
