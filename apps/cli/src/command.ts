/** Commands by their words: those that exist, and those that were meant. */
import { findSimilar } from "@cardkeep/terminal/suggestion";
import { nouns } from "./nouns.ts";

/** Words that newcomers type here, and flags that they mean. */
const flags: ReadonlyMap<string, string> = new Map([
  ["help", "cardkeep --help"],
  ["version", "cardkeep --version"],
]);

const nounNames = nouns.getAllEntries().map(({ name }) => name.original);

/** The verbs of a noun; none for one that is a command itself, or that does not exist. */
export function listVerbs(noun: string): string[] {
  const entry = nouns.getAllEntries().find(({ name }) => name.original === noun);
  if (!entry || !("getAllEntries" in entry.target)) return [];
  return entry.target.getAllEntries().map(({ name }) => name["convert-camel-to-kebab"]);
}

/** `cardkeep users list` for `users list --limit many`: what the words name, before their flags and arguments. */
export function findCommandPath([noun = "", verb = ""]: readonly string[]): string {
  const known = nounNames.includes(noun) ? [noun, ...listVerbs(noun).filter((name) => name === verb)] : [];
  return ["cardkeep", ...known].join(" ");
}

/** The command that was meant by words whose noun or verb does not exist; null if none is like them. */
export function guessCommand([first = "", second = ""]: readonly string[]): string | null {
  if (nounNames.includes(first)) {
    const verb = findSimilar(second, listVerbs(first));
    return verb === null ? null : `cardkeep ${first} ${verb}`;
  }
  const turned = findSimilar(second, nounNames);
  if (turned !== null && listVerbs(turned).includes(first)) return `cardkeep ${turned} ${first}`;
  const noun = findSimilar(first, nounNames);
  if (noun === null) return flags.get(first) ?? null;
  const verb = findSimilar(second, listVerbs(noun));
  return ["cardkeep", noun, ...(verb === null ? [] : [verb])].join(" ");
}
