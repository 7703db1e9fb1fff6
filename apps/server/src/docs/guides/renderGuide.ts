/** A guide's Markdown as HTML, with the links, headings and code blocks of the documents' pages. */
import { type Html, markup, trust } from "@cardkeep/html/markup";
import { Marked, type Token, type Tokens } from "marked";
import type { DocsContext } from "../docsContext.ts";
import { renderLink } from "../heading.ts";
import { rewriteAddress } from "../rewriteAddress.ts";
import { languageOf, renderSample, renderSamples } from "../samples/renderSamples.ts";
import { resolveLink } from "./resolveLink.ts";

/** The languages of a sample's tabs. */
const tabLanguages: readonly string[] = ["sh", "curl", "typescript", "python", "go"];

/** The id of a heading: its words. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

const toSample = ({ lang = "text", text }: Tokens.Code) => {
  const [, language = "text", title = ""] = /^(\S*)\s*(.*)$/.exec(lang) ?? [];
  return { language: language === "" ? "text" : language, code: text, ...(title !== "" && { title }) };
};

const marked = new Marked({
  renderer: {
    html: ({ text }) => (/^\s*<!--[^]*-->\s*$/.test(text) ? "" : markup`${text}`.html),
    image: ({ text }) => markup`${text}`.html,
    code: (token) => renderSample(toSample(token)).html,
    heading({ tokens, depth, text }) {
      const id = slugOf(text);
      const level = Math.max(2, Math.min(depth, 4));
      return `<h${level} id="${id}">${this.parser.parseInline(tokens)} ${renderLink(id).html}</h${level}>`;
    },
    link({ href, tokens }) {
      const target = resolveLink(href);
      return `${markup`<a href="${target}">`.html}${this.parser.parseInline(tokens)}</a>`;
    },
    table(token) {
      // A wide table scrolls for itself, also with the keyboard.
      const rows = token.rows.map((cells) => `<tr>${cells.map((cell) => renderCell("td", cell)).join("")}</tr>`);
      const head = token.header.map((cell) => renderCell("th", cell)).join("");
      return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
    },
  },
});

const renderCell = (tag: "td" | "th", { tokens }: Tokens.TableCell): string =>
  `<${tag}>${marked.Parser.parseInline(tokens, marked.defaults)}</${tag}>`;

/** The language of a code block that may be a tab: one without a title. */
const tabLanguageOf = (token: Token): string | null => {
  if (token.type !== "code") return null;
  const language = languageOf((token as Tokens.Code).lang ?? "");
  return tabLanguages.includes(language) ? language : null;
};

/** The tokens in groups: samples of one thing together, everything else alone. */
function groupSamples(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = [];
  for (const token of tokens.filter(({ type }) => type !== "space")) {
    const last = groups.at(-1) ?? [];
    const language = tabLanguageOf(token);
    const isSameSample =
      language !== null && last.length > 0 && last.every((other) => ![null, language].includes(tabLanguageOf(other)));
    if (isSameSample) last.push(token);
    else groups.push([token]);
  }
  return groups;
}

function renderGroup(group: readonly Token[]): Html {
  if (group.length === 1) return trust(marked.parser([...group]));
  const samples = group.map((token) => toSample(token as Tokens.Code));
  return renderSamples(
    samples.map((sample) => (languageOf(sample.language) === "sh" ? { ...sample, language: "curl" } : sample)),
  );
}

/** Markdown of ours as HTML. HTML inside is escaped. @throws Error for a link to something unknown */
export function renderMarkdown(text: string, { serverUrl, localAddresses }: DocsContext): Html {
  const rewritten = localAddresses.reduce(
    (all, [written, here]) => all.replaceAll(written, here),
    rewriteAddress(text, serverUrl),
  );
  return markup`<div class="text">${groupSamples(marked.lexer(rewritten)).map(renderGroup)}</div>`;
}

/** A passage of a guide: a paragraph, a list, or rows of a table. What stands before the first section has no id. */
export interface Passage {
  readonly id: string | null;
  /** Of its heading, behind that of the section where it is a lesser one. */
  readonly title: string;
  readonly body: string;
}

/** Passages are joined up to so many characters: a longer one hides what it is about. */
const passageLengthMax = 700;

/** What a token says. Samples are long, and their words are those of every sample. */
function listTexts(token: Token): string[] {
  if (token.type === "code") return [];
  if (token.type !== "table") return [token.raw];
  const { header, rows } = token as Tokens.Table;
  const head = header.map(({ text }) => text).join(" ");
  return rows.map((cells, index) => `${index === 0 ? `${head} ` : ""}${cells.map(({ text }) => text).join(" ")}`);
}

/** The passages of a guide, in its order. */
export function listPassages(text: string): Passage[] {
  const passages: Passage[] = [];
  let [section, place] = ["", { id: null as string | null, title: "" }];
  let body = "";
  const end = (): void => {
    if (body.trim() !== "") passages.push({ ...place, body });
    body = "";
  };
  for (const token of marked.lexer(text)) {
    if (token.type === "heading") {
      end();
      const { text: raw, depth } = token as Tokens.Heading;
      const title = raw.replaceAll("`", "");
      if (depth === 2) section = title;
      place = { id: slugOf(raw), title: depth === 2 || section === "" ? title : `${section}: ${title}` };
      continue;
    }
    for (const said of listTexts(token)) {
      const clean = said.replaceAll(/\]\([^)]*\)/g, "]");
      if (body.length + clean.length > passageLengthMax) end();
      body += ` ${clean}`;
    }
  }
  end();
  return passages;
}

/** Titles and ids of a guide's sections, for the contents. */
export const listSections = (text: string): { id: string; title: string }[] =>
  marked
    .lexer(text)
    .flatMap((token) => (token.type === "heading" && token["depth"] === 2 ? String(token["text"]) : []))
    .map((title) => ({ id: slugOf(title), title: title.replaceAll("`", "") }));
