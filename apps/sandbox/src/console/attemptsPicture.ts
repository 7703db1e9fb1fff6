import type { InboxAttempt } from "@cardkeep/db/sandbox/inboxes";
import type { Html } from "@cardkeep/html/markup";
import { drawBars } from "@cardkeep/html/pictures/bars";
import { countInBins, formatBin } from "@cardkeep/html/pictures/bins";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderLegend } from "@cardkeep/html/pictures/legend";
import { formatNumber } from "@cardkeep/html/pictures/picture";

const barsMax = 24;

const series = [
  { name: "answered 2xx", tone: "good" },
  { name: "answered otherwise", tone: "bad" },
] as const;

/** Attempts at a receiver over time, by its answer. The desk lists the same attempts. */
export function renderAttempts(
  name: string,
  attempts: readonly InboxAttempt[],
  isOk: (attempt: InboxAttempt) => boolean,
): Html {
  const outcomes = attempts.map((attempt) => ({ at: attempt.receivedAt, isGood: isOk(attempt) }));
  const failed = outcomes.filter(({ isGood }) => !isGood).length;
  const bins = countInBins(outcomes, barsMax);
  const picture = {
    name: `attempts-${name}`,
    title: "Attempts over time",
    summary: `The newest ${attempts.length}: ${attempts.length - failed} answered 2xx, ${failed} otherwise.`,
  };
  const bars = bins.map((bin) => ({ label: formatBin(bin, bins), values: [bin.good, bin.bad] }));
  return renderFigure(picture, {
    svg: drawBars({ ...picture, series, bars, format: formatNumber }),
    legend: renderLegend(series),
  });
}
