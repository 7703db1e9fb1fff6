/**
 * HTML by template: whatever is put in is text, unless it is HTML already.
 *
 * - part: what may stand in a template; null, undefined and false are nothing. - policy: what a page may load and do.
 */

/** Text that is HTML already; only this file makes it. */
export interface Html {
  readonly html: string;
}

/** What may stand in a template. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "string") return escapeHtml(part);
  if (typeof part === "number") return String(part);
  return "html" in part ? part.html : part.map(render).join("");
}

/** HTML with every part escaped that is not HTML itself; lists are put in one after the other. */
// Not named `html`, because formatters would then move its white space.
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.reduce((whole, text, index) => whole + text + render(parts[index]), ""),
});

/** Text that is HTML already, as a style sheet is. */
export const trust = (text: string): Html => ({ html: text });

/** A sentence in which `code` stands between backticks. */
export const prose = (text: string): Html =>
  markup`${text.split("`").map((piece, index) => (index % 2 === 1 ? markup`<code>${piece}</code>` : piece))}`;
