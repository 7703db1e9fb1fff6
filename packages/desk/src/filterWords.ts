/** The words of filters. */
import type { Filter, NounList } from "./noun.ts";

/** What is wrong with a word of a filter, as it goes on behind the filter's name; null for a word that it takes. */
export function findWordFault({ values, schema }: Filter, word: string): string | null {
  if (values !== undefined) return values.includes(word) ? null : `must be one of ${values.join(", ")}`;
  const issue = schema?.safeParse(word).error?.issues[0];
  return issue === undefined ? null : `is invalid: ${issue.message}`;
}

/** What is wrong with the words of a list: a filter that it does not have, or a word that its filter does not take. Pages leave them out. */
export function findFilterFault(
  { filters }: Pick<NounList, "filters">,
  words: Iterable<readonly [string, string]>,
): string | null {
  for (const [name, word] of words) {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (filter === undefined) return `There is no filter ${name}`;
    const fault = findWordFault(filter, word);
    if (fault !== null) return `${name} ${fault}`;
  }
  return null;
}
