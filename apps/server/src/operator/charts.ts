/**
 * Charts as inline SVG. Each is a table as well: its numbers are below it and in its CSV, and a screen reader reads its
 * summary. Widths are percentages and texts have their own size, so that a chart is readable on a phone.
 */
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import {
  buildFigure,
  type ChartTone,
  heightPx,
  percent,
  type Picture,
  renderLabels,
  renderRules,
  renderScale,
  renderSvg,
  roundUpScale,
  yOf,
} from "./chartParts.ts";
import type { Table, Visit } from "./page.ts";
import { buildTable } from "./table.ts";

export interface Series {
  readonly name: string;
  readonly tone: ChartTone;
}

interface Bars extends Picture {
  readonly series: readonly Series[];
  /** One bar each, with a value for each series. */
  readonly bars: readonly { readonly label: string; readonly values: readonly number[] }[];
  readonly format?: (value: number) => string;
}

const formatCount = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 1 });

/** Bars over time, each stacked of its series. */
export function buildBars(visit: Visit, { series, bars, format = formatCount, ...picture }: Bars): Table {
  const max = roundUpScale(Math.max(0, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))));
  const width = 1 / Math.max(1, bars.length);
  const drawn = bars.map(({ label, values }, index) => {
    let below = 0;
    const facts = series.map(({ name }, place) => `${format(values[place] ?? 0)} ${name}`).join(", ");
    return markup`<g class="hour">
      <title>${label}: ${facts}</title>
      ${series.map(({ tone }, place) => {
        const value = values[place] ?? 0;
        const base = yOf(below, max);
        below += value;
        const height = Math.round((base - yOf(below, max)) * 10) / 10;
        const x = percent((index + 0.12) * width);
        return (
          value > 0 &&
          markup`<rect class="tone-${tone}" x="${x}" width="${percent(width * 0.76)}" y="${base - height}" height="${height}" />`
        );
      })}
    </g>`;
  });
  const labels = renderLabels(
    bars.map(({ label }) => label),
    (index) => (index === 0 ? 0 : (index + 0.5) * width),
  );
  const legend = markup`<ul class="legend">
    ${series.map(({ name, tone }) => markup`<li class="tone-${tone}">${name}</li>`)}
  </ul>`;
  const numbers = buildTable(visit, {
    name: picture.name,
    columns: [
      { name: "Time", text: ({ label }: Bars["bars"][number]) => label },
      ...series.map(({ name }, place) => ({
        name,
        text: ({ values }: Bars["bars"][number]) => values[place] ?? 0,
        cell: ({ values }: Bars["bars"][number]) => format(values[place] ?? 0),
      })),
    ],
    rows: bars,
    none: "There are no numbers.",
  });
  return buildFigure(
    picture,
    renderSvg(picture, heightPx, [renderRules(max), drawn, renderScale(max, format), labels]),
    legend,
    numbers,
  );
}

export interface Point {
  readonly label: string;
  /** Null where nothing was measured: the line has a gap there. */
  readonly value: number | null;
}

interface Line extends Picture {
  readonly points: readonly Point[];
  /** The name of the value's column: `p99 in ms`. */
  readonly unit: string;
  readonly tone?: ChartTone;
  readonly format?: (value: number) => string;
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

/** A value over time. */
export function buildLine(
  visit: Visit,
  { points, unit, tone = "first", format = formatCount, ...picture }: Line,
): Table {
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
  const numbers = buildTable(visit, {
    name: picture.name,
    columns: [
      { name: "Time", text: ({ label }: Point) => label },
      { name: unit, text: ({ value }: Point) => value },
    ],
    rows: points,
    none: "There are no numbers.",
  });
  const content = [renderRules(max), markup`<g class="tone-${tone}">${path}</g>`, renderScale(max, format), labels];
  return buildFigure(picture, renderSvg(picture, heightPx, content), null, numbers);
}

export interface StateCount {
  readonly name: string;
  readonly count: number;
  readonly tone: ChartTone;
  /** The list of these. */
  readonly link?: string;
}

/** How many are in which state, as one bar. */
export function buildStates(
  visit: Visit,
  { states, ...picture }: Picture & { readonly states: readonly StateCount[] },
): Table {
  const total = states.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const drawn = states.map(({ name, count, tone }) => {
    const x = total === 0 ? 0 : before / total;
    before += count;
    return (
      count > 0 &&
      markup`<rect class="tone-${tone}" x="${percent(x)}" width="${percent(count / total)}" y="2" height="20"><title>${name}: ${formatCount(count)}</title></rect>`
    );
  });
  const legend = markup`<ul class="legend">
    ${states.map(({ name, count, tone, link }) => {
      const words = markup`${name} <strong>${formatCount(count)}</strong>`;
      return markup`<li class="tone-${tone}">${link === undefined ? words : markup`<a href="${link}">${words}</a>`}</li>`;
    })}
  </ul>`;
  const numbers = buildTable(visit, {
    name: picture.name,
    columns: [
      { name: "State", text: ({ name }: StateCount) => name },
      { name: "Count", text: ({ count }: StateCount) => count, cell: ({ count }: StateCount) => formatCount(count) },
    ],
    rows: states,
    none: "There are no numbers.",
  });
  return buildFigure(
    picture,
    renderSvg(picture, 24, total === 0 ? markup`<rect class="empty" width="100%" y="2" height="20" />` : drawn),
    legend,
    numbers,
  );
}

/** A small line beside a number, for a table's cell. Its name says what it shows. */
export function renderSparkline(title: string, values: readonly number[], tone: ChartTone = "first"): Html {
  const max = Math.max(...values, 0) || 1;
  const xOf = (index: number): string => percent(values.length < 2 ? 0.5 : 0.02 + (0.96 * index) / (values.length - 1));
  const toY = (value: number): number => Math.round((24 - (value / max) * 20) * 10) / 10;
  const points = values.map((value, index) => ({ label: String(index + 1), value }));
  const known =
    values.length === 0
      ? "no values"
      : `lowest ${formatCount(Math.min(...values))}, highest ${formatCount(Math.max(...values))}`;
  return markup`<svg class="spark tone-${tone}" role="img" height="28">
    <title>${title}: ${known}</title>
    ${renderPath(points, xOf, toY)}
  </svg>`;
}
