import { markup, type Html } from "../markup.ts";
import type { Tone } from "./picture.ts";

/** What the colours of a picture mean. */
export const renderLegend = (tones: readonly { readonly name: string; readonly tone: Tone }[]): Html =>
  markup`<ul class="legend">
    ${tones.map(({ name, tone }) => markup`<li class="tone-${tone}">${name}</li>`)}
  </ul>`;
