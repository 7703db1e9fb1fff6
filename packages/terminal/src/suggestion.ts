/** What a person may have meant. */
import { distance } from "fastest-levenshtein";

/** A part of a word is enough, from so many letters on. */
const partMin = 3;
/** Letters of a short word that may differ; of a longer word it is a third. */
const lettersMin = 2;

/** How unlike two words are, from 0; null if they are too different. */
function compareWords(given: string, known: string): number | null {
  const letters = distance(given, known);
  if (given.length >= partMin && known.startsWith(given)) return Math.min(letters, 1);
  if (given.length >= partMin && known.includes(given)) return Math.min(letters, 2);
  const allowed = Math.max(lettersMin, Math.floor(known.length / 3));
  return letters <= allowed && letters < known.length ? letters : null;
}

/** The known word that is most like `word`, in any letter case; null if none is like it. */
export function findSimilar(word: string, known: readonly string[]): string | null {
  const ranked = known.flatMap((name) => {
    const rank = compareWords(word.toLowerCase(), name.toLowerCase());
    return rank === null ? [] : [{ name, rank }];
  });
  return ranked.toSorted((a, b) => a.rank - b.rank)[0]?.name ?? null;
}

/** The sentence that suggests a known word, with a space before it; empty if none is like `word`. */
export function suggest(word: string, known: readonly string[]): string {
  const similar = findSimilar(word, known);
  return similar === null ? "" : ` Did you mean ${similar}?`;
}
