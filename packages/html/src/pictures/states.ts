import { markup, type Html } from "../markup.ts";
import { formatNumber, percent, type Picture, renderSvg, type Tone } from "./picture.ts";

/** How many are in one state. */
export interface StateCount {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
  /** The list of these. */
  readonly link?: string;
}

/** Draws how many are in which state, as one bar. */
export function drawStates({ states, ...picture }: Picture & { readonly states: readonly StateCount[] }): Html {
  const total = states.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const drawn = states.map(({ name, count, tone }) => {
    const x = total === 0 ? 0 : before / total;
    before += count;
    return (
      count > 0 &&
      markup`<rect class="tone-${tone}" x="${percent(x)}" width="${percent(count / total)}" y="2" height="20"><title>${name}: ${formatNumber(count)}</title></rect>`
    );
  });
  return renderSvg(picture, 24, total === 0 ? markup`<rect class="empty" width="100%" y="2" height="20" />` : drawn);
}

/** The counts of the states, as the legend of their bar. */
export const renderStateLegend = (states: readonly StateCount[]): Html =>
  markup`<ul class="legend">
    ${states.map(({ name, count, tone, link }) => {
      const words = markup`${name} <strong>${formatNumber(count)}</strong>`;
      return markup`<li class="tone-${tone}">${link === undefined ? words : markup`<a href="${link}">${words}</a>`}</li>`;
    })}
  </ul>`;
