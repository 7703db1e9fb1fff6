/** The words of filters. */
import type { Filter } from "./noun.ts";

/** What is wrong with a word of a filter, as it goes on behind the filter's name; null for a word that it takes. */
export function findWordFault({ values, schema }: Filter, word: string): string | null {
  if (values !== undefined) return values.includes(word) ? null : `must be one of ${values.join(", ")}`;
  const issue = schema?.safeParse(word).error?.issues[0];
  return issue === undefined ? null : `is invalid: ${issue.message}`;
}
