/** Code on a page: a panel for each sample. The page's script turns samples that belong together into tabs. */
import { markup, type Html } from "@cardkeep/html/markup";
import { splitTokens } from "./tokens.ts";

interface Sample {
  /** As in `splitTokens`. */
  readonly language: string;
  readonly code: string;
  /** In place of the language's name. */
  readonly title?: string;
}

/** Names of languages; an unknown one is shown as it is written. */
const names: Readonly<Record<string, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
  sh: "Shell",
  json: "JSON",
  text: "Text",
  html: "HTML",
  yaml: "YAML",
};

/** Several names of one language, in a code block's fence and elsewhere. */
const aliases: Readonly<Record<string, string>> = { ts: "typescript", js: "typescript", py: "python", bash: "sh" };

/** The name by which tabs remember the chosen language. */
export const languageOf = (name: string): string => aliases[name] ?? name;

/** Code with colours. */
const renderCode = (code: string, language: string): Html =>
  markup`${splitTokens(code, language).map(({ text, tone }) => (tone === null ? text : markup`<i class="${tone}">${text}</i>`))}`;

/** One panel with its name and a button that copies the code. */
export function renderSample({ language, code, title }: Sample): Html {
  const known = languageOf(language);
  return markup`<div class="panel" data-language="${known}"><div class="caption"><span>${title ?? names[known] ?? known}</span>
    <button type="button" data-copies>Copy</button></div>
    <pre tabindex="0">${renderCode(code, known)}</pre></div>`;
}

/** Samples of the same thing: tabs with a script, one below the other without. */
export const renderSamples = (samples: readonly Sample[]): Html =>
  markup`<div class="samples" data-tabs>${samples.map(renderSample)}</div>`;
