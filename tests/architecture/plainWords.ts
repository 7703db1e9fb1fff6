/** The words that hide the subject of a sentence, or name no act of the trade. See the table in packages/README.md. */
import type { Source } from "./sources.ts";

const vague = /\b(?:whoever|whatever|whom|nobody|somebody|tell|tells|told)\b/gi;

/** `publish Cents` for `publishCents`, so that a part of an identifier counts as a word. */
const separateWords = (text: string): string => text.replaceAll(/([a-z0-9])(?=[A-Z])/g, "$1 ").replaceAll("_", " ");

/** Vague words in comments, strings and identifiers, but for the texts in `published`, which clients know. */
export const findVagueWords = (sources: readonly Source[], published: readonly string[]): string[] =>
  sources.flatMap(({ path, text }) =>
    published
      .reduce((rest, known) => rest.replaceAll(known, ""), text)
      .split("\n")
      .flatMap((line, index) => {
        const words = separateWords(line).match(vague) ?? [];
        return words.length === 0 ? [] : [`${path}:${index + 1}: says ${words.join(", ")}: ${line.trim()}`];
      }),
  );
