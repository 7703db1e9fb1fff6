import { markup, type Html } from "../markup.ts";
import {
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

/** One part of each bar. */
export interface Series {
  readonly name: string;
  readonly tone: Tone;
}

/** Bars over time. */
export interface Bars extends Picture {
  readonly series: readonly Series[];
  /** One bar each, with a value for each series. */
  readonly bars: readonly { readonly label: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
}

/** Draws bars over time, each stacked of its series. Widths are percentages, so that a phone shows all of them. */
export function drawBars({ series, bars, format, ...picture }: Bars): Html {
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
  return renderSvg(picture, heightPx, [renderRules(max), drawn, renderScale(max, format), labels]);
}
