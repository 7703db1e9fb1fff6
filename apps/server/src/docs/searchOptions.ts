/** The shape of the documents' index. */
import type MiniSearch from "minisearch";
import type { Options } from "minisearch";
import { splitWords, stemWord } from "./searchText.ts";

/** One thing that search finds. A long section is several, which have one address. */
export interface SearchEntry {
  readonly id: number;
  /** What it is, shown beside its title. */
  readonly kind:
    | "Guide"
    | "Page"
    | "Route"
    | "Field"
    | "Event"
    | "Error"
    | "Decline"
    | "State machine"
    | "Setting"
    | "Act";
  readonly title: string;
  /** A sentence about it. */
  readonly text: string;
  readonly href: string;
  /** What a guide says there: searched, and not shown. */
  readonly body?: string;
  /** The guide's name in its address. */
  readonly slug?: string;
}

/** A phrase that newcomers type for an entry, which is shown in its place. */
export interface SearchPhrase {
  readonly id: number;
  readonly words: string;
  /** The entry's id. */
  readonly of: number;
}

export type SearchIndex = MiniSearch<SearchEntry | SearchPhrase>;

export const searchOptions: Options<SearchEntry | SearchPhrase> = {
  fields: ["title", "text", "body", "slug", "words"],
  storeFields: ["kind", "title", "text", "href", "of"],
  tokenize: splitWords,
  processTerm: stemWord,
};
