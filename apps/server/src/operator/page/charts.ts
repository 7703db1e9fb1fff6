/**
 * Pictures as tables of the operator's pages: the numbers of each are below it and in its CSV. `@cardkeep/html/pictures` draws
 * them.
 */
import type { Html, Part } from "@cardkeep/html/markup";
import { type Bars, drawBars } from "@cardkeep/html/pictures/bars";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderLegend } from "@cardkeep/html/pictures/legend";
import { drawLine, type Point } from "@cardkeep/html/pictures/line";
import { formatNumber, type Picture, type Tone } from "@cardkeep/html/pictures/picture";
import { drawStates, renderStateLegend, type StateCount } from "@cardkeep/html/pictures/states";
import type { Table, Visit } from "./page.ts";
import { buildTable } from "./table.ts";

/** A picture with its legend, whose numbers are a table behind one click. */
export const buildFigure = (picture: Picture, svg: Html, legend: Part, numbers: Table): Table => ({
  name: numbers.name,
  isFilled: numbers.isFilled,
  listRecords: () => numbers.listRecords(),
  ...renderFigure(picture, { svg, legend, numbers }),
});

/** Bars over time, each stacked of its series. */
export function buildBars(
  visit: Visit,
  { format = formatNumber, ...bars }: Omit<Bars, "format"> & Partial<Pick<Bars, "format">>,
): Table {
  type Bar = Bars["bars"][number];
  const numbers = buildTable(visit, {
    name: bars.name,
    columns: [
      { name: "Time", text: ({ label }: Bar) => label },
      ...bars.series.map(({ name }, place) => ({
        name,
        text: ({ values }: Bar) => values[place] ?? 0,
        cell: ({ values }: Bar) => format(values[place] ?? 0),
      })),
    ],
    rows: bars.bars,
    none: "There are no numbers.",
  });
  return buildFigure(bars, drawBars({ ...bars, format }), renderLegend(bars.series), numbers);
}

interface Line extends Picture {
  readonly points: readonly Point[];
  /** The name of the value's column: `p99 in ms`. */
  readonly unit: string;
  readonly tone?: Tone;
  readonly format?: (value: number) => string;
}

/** A value over time. */
export function buildLine(
  visit: Visit,
  { unit, tone = "first", format = formatNumber, points, ...picture }: Line,
): Table {
  const numbers = buildTable(visit, {
    name: picture.name,
    columns: [
      { name: "Time", text: ({ label }: Point) => label },
      { name: unit, text: ({ value }: Point) => value },
    ],
    rows: points,
    none: "There are no numbers.",
  });
  return buildFigure(picture, drawLine({ ...picture, points, tone, format }), null, numbers);
}

/** How many are in which state, as one bar. */
export function buildStates(
  visit: Visit,
  { states, ...picture }: Picture & { readonly states: readonly StateCount[] },
): Table {
  const numbers = buildTable(visit, {
    name: picture.name,
    columns: [
      { name: "State", text: ({ name }: StateCount) => name },
      { name: "Count", text: ({ count }: StateCount) => count, cell: ({ count }: StateCount) => formatNumber(count) },
    ],
    rows: states,
    none: "There are no numbers.",
  });
  return buildFigure(picture, drawStates({ ...picture, states }), renderStateLegend(states), numbers);
}
