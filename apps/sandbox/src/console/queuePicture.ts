import type { QueuedOperation } from "@cardkeep/domain/accounts/delays/queuedOperation";
import type { Html } from "@cardkeep/html/markup";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { drawQueue, renderQueueLegend } from "@cardkeep/html/pictures/queue";
import { chooseQueueRows, summariseQueue } from "@cardkeep/html/pictures/queueRows";

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
  const chosen = chooseQueueRows(operations, rowsMax);
  const picture = { name, title: "Delay queue", summary: summariseQueue(chosen, now) };
  return renderFigure(picture, {
    svg: drawQueue({ ...picture, now, rows: chosen.shown }),
    legend: renderQueueLegend(chosen.shown, now),
  });
}
