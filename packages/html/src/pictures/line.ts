import { markup, type Html, type Part } from "../markup.ts";
import {
  formatNumber,
  heightPx,
  percent,
  type Picture,
  renderLabels,
  renderRules,
  renderScale,
  renderSvg,
  roundUpScale,
  type Tone,
  yOf,
} from "./picture.ts";

/** A measured value. */
export interface Point {
  readonly label: string;
  /** Null where nothing was measured: the line has a gap there. */
  readonly value: number | null;
}

/** Segments between neighbours that both have a value, and a dot for each value. */
function renderPath(points: readonly Point[], xOf: (index: number) => string, toY: (value: number) => number): Part {
  return points.map(({ label, value }, index) => {
    if (value === null) return null;
    const next = points[index + 1]?.value ?? null;
    return markup`${
      next !== null &&
      markup`<line class="value" x1="${xOf(index)}" y1="${toY(value)}" x2="${xOf(index + 1)}" y2="${toY(next)}" />`
    }<circle cx="${xOf(index)}" cy="${toY(value)}" r="2.2"><title>${label}: ${value}</title></circle>`;
  });
}

/** Draws a value at even distances of time. */
export function drawLine({
  points,
  tone,
  format,
  ...picture
}: Picture & {
  readonly points: readonly Point[];
  readonly tone: Tone;
  readonly format: (value: number) => string;
}): Html {
  const max = roundUpScale(Math.max(0, ...points.map(({ value }) => value ?? 0)));
  const centreOf = (index: number): number => (points.length < 2 ? 0.5 : 0.01 + (0.98 * index) / (points.length - 1));
  const path = renderPath(
    points,
    (index) => percent(centreOf(index)),
    (value) => yOf(value, max),
  );
  const labels = renderLabels(
    points.map(({ label }) => label),
    centreOf,
  );
  return renderSvg(picture, heightPx, [
    renderRules(max),
    markup`<g class="tone-${tone}">${path}</g>`,
    renderScale(max, format),
    labels,
  ]);
}

/** A small line beside a number, for a table's cell. Its name says what it shows. */
export function renderSparkline(title: string, values: readonly number[], tone: Tone = "first"): Html {
  const max = Math.max(...values, 0) || 1;
  const xOf = (index: number): string => percent(values.length < 2 ? 0.5 : 0.02 + (0.96 * index) / (values.length - 1));
  const toY = (value: number): number => Math.round((24 - (value / max) * 20) * 10) / 10;
  const points = values.map((value, index) => ({ label: String(index + 1), value }));
  const known =
    values.length === 0
      ? "no values"
      : `lowest ${formatNumber(Math.min(...values))}, highest ${formatNumber(Math.max(...values))}`;
  return markup`<svg class="spark tone-${tone}" role="img" height="28">
    <title>${title}: ${known}</title>
    ${renderPath(points, xOf, toY)}
  </svg>`;
}
