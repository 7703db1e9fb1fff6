/** How search reads texts. The server builds the index and the page reads it, so both need the same rules. */
import type { Options } from "minisearch";

/** One thing that search finds. */
export interface SearchEntry {
  readonly id: number;
  /** What it is, shown beside its title. */
  readonly kind: "Guide" | "Route" | "Field" | "Event" | "Error" | "Decline" | "State machine";
  readonly title: string;
  /** A sentence about it. */
  readonly text: string;
  readonly href: string;
}

/** The words of a text, and the parts of names such as `cooldownSeconds` and `cards.not_found`. */
const splitWords = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => {
      const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .filter((word) => word !== "");

export const searchOptions: Options<SearchEntry> = {
  fields: ["title", "text"],
  storeFields: ["kind", "title", "text", "href"],
  tokenize: splitWords,
  searchOptions: {
    boost: { title: 3 },
    prefix: true,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    combineWith: "AND",
    // A name of the API is more often looked for than one of its fields.
    boostDocument: (_id, _term, stored) => (stored?.["kind"] === "Field" ? 0.6 : 1),
  },
};
