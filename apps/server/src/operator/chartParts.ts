/** What all charts share: size, scale, labels, and the figure around a picture. */
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import type { Table } from "./page.ts";

export type ChartTone = "good" | "bad" | "waiting" | "plain" | "first" | "second" | "third";

export interface Picture {
  /** Names the CSV, and is unique on its page. */
  readonly name: string;
  readonly title: string;
  /** What the picture shows, in one sentence with its most important numbers. */
  readonly summary: string;
}

export const heightPx = 150;
const topPx = 16;
const basePx = heightPx - 20;
const labelsMax = 6;

export const percent = (part: number): string => `${Math.round(part * 1_000_000) / 10_000}%`;

/** The next of 1, 2, 5, 10, 20, ... that is no less. */
export function roundUpScale(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

export const yOf = (value: number, max: number): number =>
  Math.round((basePx - (value / max) * (basePx - topPx)) * 10) / 10;

export const renderSvg = ({ name, title, summary }: Picture, height: number, content: Part): Html =>
  markup`<svg role="img" aria-labelledby="${name}-title ${name}-desc" height="${height}">
    <title id="${name}-title">${title}</title>
    <desc id="${name}-desc">${summary}</desc>
    ${content}
  </svg>`;

const listScale = (max: number): number[] => [0, max / 2, max];

/** Lines at none, half and all of the scale. */
export const renderRules = (max: number): Part =>
  listScale(max).map((value) => {
    const y = yOf(value, max);
    return markup`<line class="rule" x1="0" x2="100%" y1="${y}" y2="${y}" />`;
  });

/** Their labels, in front of what is drawn. */
export const renderScale = (max: number, format: (value: number) => string): Part =>
  listScale(max).map(
    (value) => value > 0 && markup`<text class="scale" x="0" y="${yOf(value, max) - 4}">${format(value)}</text>`,
  );

export function renderLabels(labels: readonly string[], centreOf: (index: number) => number): Html {
  const step = Math.max(1, Math.ceil(labels.length / labelsMax));
  return markup`${labels.map(
    (label, index) =>
      index % step === 0 &&
      markup`<text x="${percent(centreOf(index))}" y="${heightPx - 4}" text-anchor="${index === 0 ? "start" : "middle"}">${label}</text>`,
  )}`;
}

/** A picture with its legend; its numbers are a table behind one click. */
export function buildFigure(picture: Picture, svg: Html, legend: Part, numbers: Table): Table {
  return {
    name: numbers.name,
    isFilled: numbers.isFilled,
    listRecords: () => numbers.listRecords(),
    ...markup`<figure class="chart">
      <figcaption>${picture.title}<br /><span>${picture.summary}</span></figcaption>
      ${svg} ${legend}
      <details class="numbers">
        <summary aria-label="Numbers of ${picture.title}">Numbers</summary>
        ${numbers}
      </details>
    </figure>`,
  };
}
