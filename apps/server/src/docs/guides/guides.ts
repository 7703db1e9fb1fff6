/**
 * The guides in reading order. To add one, write `<slug>.md` beside this file, import it and put it into the list.
 *
 * A guide is Markdown. A test renders every guide, so a mistake of the following kinds fails.
 * - The first line is `# Title`, the first paragraph is the summary. Headings begin at `##`.
 * - `http://localhost:3000` becomes this server's address, `localhost:3000` its host. `http://localhost:3001` (sandbox),
 *   `http://localhost:3002` (card elements) and `http://127.0.0.1:8545` (chain) become those of this `bun start`.
 * - `[text](route:cards.list)`, `(error:cards.not_found)`, `(event:card.status.changed)`, `(noun:cards)`, `(guide:quick-start)`
 *   and `(decline:code)` are links into the documents; an unknown name throws.
 * - Fenced blocks of `sh`, `ts`, `python` and `go` that follow each other are tabs of one sample; `sh` is then curl.
 * - Words after the fence's language are the block's title, as in "```json Answer". A titled block is no tab.
 * - HTML comments are left out. Other HTML is shown as text.
 */
import accountsAndKeys from "./accounts-and-keys.md" with { type: "text" };
import books from "./books.md" with { type: "text" };
import bookkeeping from "./bookkeeping.md" with { type: "text" };
import cardElements from "./card-elements.md" with { type: "text" };
import changelog from "./changelog.md" with { type: "text" };
import cards from "./cards.md" with { type: "text" };
import errors from "./errors.md" with { type: "text" };
import handbook from "./handbook.md" with { type: "text" };
import ibans from "./ibans.md" with { type: "text" };
import idempotency from "./idempotency.md" with { type: "text" };
import pagination from "./pagination.md" with { type: "text" };
import money from "./money.md" with { type: "text" };
import programme from "./programme.md" with { type: "text" };
import production from "./production.md" with { type: "text" };
import quickStart from "./quick-start.md" with { type: "text" };
import runbook from "./runbook.md" with { type: "text" };
import sandbox from "./sandbox.md" with { type: "text" };
import signIn from "./sign-in.md" with { type: "text" };
import statements from "./statements.md" with { type: "text" };
import strictness from "./strictness.md" with { type: "text" };
import support from "./support.md" with { type: "text" };
import testing from "./testing.md" with { type: "text" };
import tokens from "./tokens.md" with { type: "text" };
import typedData from "./typed-data.md" with { type: "text" };
import assistants from "./assistants.md" with { type: "text" };
import upgrading from "./upgrading.md" with { type: "text" };
import webhooks from "./webhooks.md" with { type: "text" };
import withdrawals from "./withdrawals.md" with { type: "text" };
import { parseGuide, type Guide } from "./parseGuide.ts";

const texts: Readonly<Record<string, string>> = {
  "quick-start": quickStart,
  "accounts-and-keys": accountsAndKeys,
  "sign-in": signIn,
  "typed-data": typedData,
  withdrawals,
  cards,
  "card-elements": cardElements,
  ibans,
  statements,
  tokens,
  bookkeeping,
  money,
  books,
  webhooks,
  idempotency,
  errors,
  pagination,
  sandbox,
  strictness,
  testing,
  assistants,
  support,
  programme,
  production,
  upgrading,
};

/** A link to the repository's own file. Its headings below a version have the same words in each, so they get no place of their own. */
const changelogGuide: Guide = {
  slug: "changelog",
  title: "Changelog",
  summary: "What changed in each version, the newest first.",
  text: changelog.replace(/^# .*\n/, "").replaceAll(/^### (.+)$/gm, "**$1**"),
};

/** Links of the repository's own documents to each other; those to other files have no page, and become their words. */
const linkDocuments = (text: string): string =>
  text
    .replaceAll(/\]\((README|RUNBOOK)\.md(#[\w-]+)?\)/g, (_, name: string, place = "") => {
      const slug = name === "README" ? "handbook" : "runbook";
      return `](guide:${slug}${place})`;
    })
    .replaceAll(/\[([^\]]+)\]\((?:\.\.\/)+[^)]*\)/g, "$1");

const handbookGuide: Guide = {
  slug: "handbook",
  title: "Operator's handbook",
  summary: "Every command, setting and rule for the people who run the service.",
  text: linkDocuments(handbook.replace(/^# .*\n/, "")),
};

const runbookGuide: Guide = {
  slug: "runbook",
  title: "Runbook",
  summary: "What to do in each failure and at each alert, and how keys are rotated and backups restored.",
  text: linkDocuments(runbook.replace(/^# .*\n/, "")),
};

/** By slug, which is the last part of a guide's path. */
export const guides: readonly Guide[] = [
  ...Object.entries(texts).map(([slug, text]) => parseGuide(slug, text)),
  handbookGuide,
  runbookGuide,
  changelogGuide,
];
