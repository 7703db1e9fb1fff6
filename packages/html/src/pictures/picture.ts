/** What all pictures share: tones, size, scale, labels, and the names that a screen reader reads. */
import { markup, type Html, type Part } from "../markup.ts";

/** The colours of pictures, by meaning; `pictureStyle` gives each its colour in light and in dark. */
export type Tone = "good" | "bad" | "waiting" | "plain" | "first" | "second" | "third";

/** The words of a picture. */
export interface Picture {
  /** Unique on its page. */
  readonly name: string;
  readonly title: string;
  /** What the picture shows, in one sentence with its most important numbers. */
  readonly summary: string;
}

/** The height of a picture with a scale. */
export const heightPx = 150;
const topPx = 16;
const basePx = heightPx - 20;
/** So many short labels fit beside each other on a phone; longer ones have seconds or a day. */
const labelsMax = { short: 6, long: 4 };
const shortLength = 5;
/** A picture on a phone, and a character of its labels. */
const phonePx = 300;
const characterPx = 6.5;

/** A part of the width, as SVG writes it. */
export const percent = (part: number): string => `${Math.round(part * 1_000_000) / 10_000}%`;

/** The next of 1, 2, 5, 10, 20, ... that is no less. */
export function roundUpScale(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

/** The height of a value on a scale up to `max`, in pixels from the top. */
export const yOf = (value: number, max: number): number =>
  Math.round((basePx - (value / max) * (basePx - topPx)) * 10) / 10;

/** A count or an amount, with separators. */
export const formatNumber = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });

/** A text of at most `lengthMax` characters; a longer one ends in an ellipsis. */
export const cut = (text: string, lengthMax: number): string =>
  [...text].length > lengthMax ? `${[...text].slice(0, lengthMax - 1).join("")}…` : text;

/** A picture as wide as its place, with its title and summary for screen readers. */
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

/** Labels below a picture: the first, and others at even distances, but for a second one that would touch it on a phone. */
export function renderLabels(labels: readonly string[], centreOf: (index: number) => number): Html {
  const isShort = labels.every((label) => label.length <= shortLength);
  const step = Math.max(1, Math.ceil(labels.length / labelsMax[isShort ? "short" : "long"]));
  // The first begins where it stands, and the second has its middle there.
  const endPx = centreOf(0) * phonePx + characterPx * ((labels[0]?.length ?? 0) + (labels[step]?.length ?? 0) / 2);
  const touches = centreOf(step) * phonePx < endPx + characterPx;
  return markup`${labels.map(
    (label, index) =>
      index % step === 0 &&
      !(index === step && touches) &&
      markup`<text x="${percent(centreOf(index))}" y="${heightPx - 4}" text-anchor="${index === 0 ? "start" : "middle"}">${label}</text>`,
  )}`;
}
