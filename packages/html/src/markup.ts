/**
 * HTML templates. Every inserted text is escaped unless it is already HTML.
 *
 * - part: a value in a template; null, undefined and false render nothing.
 * - policy: what a page may load and do.
 */

/** Escaped HTML; only this file creates it. */
export interface Html {
  readonly html: string;
}

/** A value in a template. */
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

/** HTML from a template. Parts that are not HTML are escaped; lists are joined. */
// Not named `html`, because formatters would then change its white space.
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.reduce((whole, text, index) => whole + text + render(parts[index]), ""),
});

/** Trusted HTML, such as a style sheet. */
export const trust = (text: string): Html => ({ html: text });

/** A sentence with `code` between backticks. */
export const prose = (text: string): Html =>
  markup`${text.split("`").map((piece, index) => (index % 2 === 1 ? markup`<code>${piece}</code>` : piece))}`;
