/** How search reads texts. The server builds the index and the page reads it, so both need the same rules. */
import type { Options } from "minisearch";
import { synonyms } from "./synonyms.ts";

/** One thing that search finds. */
export interface SearchEntry {
  readonly id: number;
  /** What it is, shown beside its title. */
  readonly kind: "Guide" | "Page" | "Route" | "Field" | "Event" | "Error" | "Decline" | "State machine";
  readonly title: string;
  /** A sentence about it. */
  readonly text: string;
  readonly href: string;
  /** What a guide says there: searched, and not shown. */
  readonly body?: string;
  /** The guide's name in its address. */
  readonly slug?: string;
  /** What newcomers call it: searched, and not shown. */
  readonly words?: string;
}

/** Words of questions that say nothing about their subject. */
const emptyWords = new Set(
  (
    "a am an and any are as at be but by can could do does for from get had has have how i if in is it its me my of on or our " +
    "should so some than that the their them then there these they this to was we what when where which who why will with would you your"
  ).split(" "),
);

/** By each word of a group, the group's words. */
const byWord = new Map<string, Set<string>>();
for (const group of synonyms)
  for (const word of group) byWord.set(word, new Set([...(byWord.get(word) ?? []), ...group]));

/** The word that is searched for, and its synonyms; none for a word without a subject. */
const expandWord = (given: string): string[] | false => {
  const word = given.toLowerCase();
  if (emptyWords.has(word)) return false;
  return [word, ...[...(byWord.get(word) ?? [])].filter((other) => other !== word)];
};

/** The words of a text, and the parts of names such as `cooldownSeconds` and `cards.not_found`. */
const splitWords = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => {
      const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .filter((word) => word !== "");

/** A guide answers a question, and a name of the API is more often looked for than one of its fields. */
function weighDocument(kind: string, href: string): number {
  // Operators' documents are long, and have some of every word.
  if (/\/(handbook|runbook)/.test(href)) return 0.8;
  return kind === "Guide" || kind === "Page" ? 1.4 : kind === "Field" ? 0.5 : 1;
}

export const searchOptions: Options<SearchEntry> = {
  fields: ["title", "text", "body", "slug", "words"],
  storeFields: ["kind", "title", "text", "href"],
  tokenize: splitWords,
  searchOptions: {
    boost: { title: 3, text: 2, body: 1, slug: 3, words: 1 },
    processTerm: expandWord,
    prefix: (word) => word.length > 2,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    weights: { prefix: 0.3, fuzzy: 0.15 },
    // A question is found by any of its words. What has most of them comes first.
    combineWith: "OR",
    boostDocument: (_id, _term, stored) => weighDocument(String(stored?.["kind"]), String(stored?.["href"])),
  },
};
