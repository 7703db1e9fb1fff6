/** Texts that other people chose: names of people, of merchants, on cards. */
import { markup, type Html } from "@cardkeep/html/markup";

/** Control characters, and those that turn the direction of the text around them. */
// oxlint-disable-next-line eslint/no-control-regex -- they are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** The text without characters that a browser or a spreadsheet would obey; null for none. */
export const cleanText = (text: string | null): string | null => text?.replaceAll(controls, " ").trim() || null;

/** The same on a page, where its direction does not reach beyond it. */
export function renderForeign(text: string | null): Html {
  const clean = cleanText(text);
  return clean === null ? markup`<span class="none">–</span>` : markup`<bdi>${clean}</bdi>`;
}
