/** Texts that other people chose: names of people, of merchants, on cards. */
import { cleanText } from "@cardkeep/domain/core/wording";
import { markup, type Html } from "@cardkeep/html/markup";

/** The text for a CSV; null for none. */
export const readForeign = (text: string | null): string | null =>
  text === null ? null : cleanText(text).trim() || null;

/** The text on a page, where its direction does not reach beyond it. */
export function renderForeign(text: string | null): Html {
  const clean = readForeign(text);
  return clean === null ? markup`<span class="none">–</span>` : markup`<bdi>${clean}</bdi>`;
}
