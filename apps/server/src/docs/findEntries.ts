/**
 * Ranks what a question finds.
 *
 * - group: one word of the question, or a phrase, with what else it is called. Its best word counts, so many synonyms are no advantage.
 * - coverage: how much of the question an entry has, where a rare word is worth more. Half an answer to two words loses to a whole one.
 */
import type { SearchOptions } from "minisearch";
import type { SearchEntry, SearchIndex, SearchPhrase } from "./searchOptions.ts";
import { hasSubject, splitWords, stemWord, weighWord } from "./searchText.ts";
import { synonyms } from "./synonyms.ts";

/** What is shown of an entry. */
export type FoundEntry = Pick<SearchEntry, "kind" | "title" | "text" | "href"> & { readonly score: number };

/** What a group is known by: a word, or several that an entry has to have all. */
interface Name {
  readonly words: readonly string[];
  readonly weight: number;
  /** The word as it was typed may be the beginning of a longer one, or misspelt. */
  readonly isTyped: boolean;
}

const synonymWeight = 0.3;
/** A word counts the same in a long passage and in a short one: many phrases about a section are no reason against it. */
const bm25 = { k: 1.2, b: 0, d: 0.5 };
const nearWeights = { prefix: 0.3, fuzzy: 0.15 };
const fieldBoost = { title: 2.5, text: 1.5, body: 1, slug: 1.5, words: 3 };

const nameOf = (words: readonly string[]): string => words.map(stemWord).join(" ");

/** What a text is about: "what is a Safe" is about a Safe. */
const nameSubject = (text: string): string => nameOf(splitWords(text).filter((word) => hasSubject(word.toLowerCase())));

/** By each name of a group, the other names. */
const byName = new Map<string, Set<string>>();
for (const group of synonyms) {
  const names = group.split(", ").map((name) => nameOf(splitWords(name)));
  for (const name of names)
    byName.set(name, new Set([...(byName.get(name) ?? []), ...names.filter((other) => other !== name)]));
}
const phraseWordsMax = Math.max(...[...byName.keys()].map((name) => name.split(" ").length));

/** The other names of one, with the weight that one of them has. */
const listOthers = (name: string, weight: number): Name[] =>
  [...(byName.get(name) ?? [])].map((other) => ({ words: other.split(" "), weight, isTyped: false }));

interface Group {
  readonly names: readonly Name[];
  /** How much it says about the subject. */
  readonly weight: number;
}

/** The groups of a question: its words with a subject, and its phrases that are a name. */
function readGroups(text: string): Group[] {
  const all = splitWords(text).map((word) => word.toLowerCase());
  const words = all.filter(hasSubject);
  const groups: Group[] = [];
  const inPhrase = new Set<string>();
  // A phrase may have empty words between, as in "close his account", or be of them, as in "log in".
  const phrases = new Map<string, string[]>();
  for (const said of [all, words])
    for (let size = 2; size <= phraseWordsMax; size++)
      for (let at = 0; at + size <= said.length; at++) {
        const part = said.slice(at, at + size);
        phrases.set(nameOf(part), part);
      }
  for (const [name, part] of phrases) {
    const others = listOthers(name, 1);
    if (others.length === 0) continue;
    for (const word of part) inPhrase.add(word);
    groups.push({ names: [{ words: name.split(" "), weight: 1, isTyped: false }, ...others], weight: 1 });
  }
  for (const word of new Set(words)) {
    const stem = stemWord(word);
    const names = [{ words: [stem], weight: 1, isTyped: true }, ...listOthers(stem, synonymWeight)];
    groups.push({ names, weight: weighWord(word) * (inPhrase.has(word) ? 0.3 : 1) });
  }
  return groups;
}

/** What kind of answer some words ask for. */
const intents: readonly (readonly [kind: SearchEntry["kind"], words: ReadonlySet<string>])[] = [
  [
    "Setting",
    new Set(
      "adjust change configure configured default disable enable increase lower raise set setting settings switch".split(
        " ",
      ),
    ),
  ],
  ["Event", new Set("event events notified published webhook".split(" "))],
  ["Error", new Set("error errors exception message says".split(" "))],
  ["Act", new Set("command operator role roles".split(" "))],
];

const kindWeights: Readonly<Record<SearchEntry["kind"], number>> = {
  Guide: 1.4,
  Page: 1.4,
  Route: 1,
  Event: 1,
  Error: 1,
  Decline: 1,
  "State machine": 1,
  Setting: 0.85,
  Act: 0.85,
  Field: 0.45,
};

/**
 * A guide answers a question, and a name of the API is more often looked for than one of its fields. A kind that the question asks for
 * counts more.
 */
function weighEntry(kind: SearchEntry["kind"], words: ReadonlySet<string>): number {
  const asked = intents.some(([of, said]) => of === kind && [...said].some((word) => words.has(word)));
  return kindWeights[kind] * (asked ? 1.5 : 1);
}

type Scores = ReadonlyMap<number, number>;

const askWord = (index: SearchIndex, word: string, how: SearchOptions): Scores =>
  new Map(
    index
      .search(word, { boost: fieldBoost, bm25, tokenize: (term) => [term], processTerm: (term) => term, ...how })
      .map(({ id, score }) => [id, score]),
  );

/** The entries with a word. Only a word that there is not may be the beginning of another one, or misspelt. */
function scoreWord(index: SearchIndex, word: string, isTyped: boolean): Scores {
  const exact = askWord(index, word, {});
  if (exact.size > 0 || !isTyped) return exact;
  return askWord(index, word, { prefix: word.length > 2, fuzzy: word.length > 4 ? 0.2 : false, weights: nearWeights });
}

/** The entries with all words of a name. */
function scoreName(index: SearchIndex, { words, isTyped }: Name): Scores {
  const [first = new Map(), ...others] = words.map((word) => scoreWord(index, word, isTyped));
  const whole = [...first].filter(([id]) => others.every((scores) => scores.has(id)));
  return new Map(whole.map(([id, score]) => [id, others.reduce((sum, scores) => sum + (scores.get(id) ?? 0), score)]));
}

/** The entries with a name of a group, each with the score of the best one. */
function scoreGroup(index: SearchIndex, { names, weight }: Group): Scores {
  const scores = new Map<number, number>();
  for (const name of names)
    for (const [id, score] of scoreName(index, name))
      scores.set(id, Math.max(scores.get(id) ?? 0, score * name.weight * weight));
  return scores;
}

/** A word of the question, and where it is. */
interface Known {
  /** Less for a rare word than its rarity: in a question a rare word is often chance, as is "screen" in "balance on the home screen". */
  readonly scores: Scores;
  /** Its rarity, and how much it says. */
  readonly worth: number;
}

/** An address: its best passage, and what all its passages have of each word. */
interface Place {
  entry: Pick<SearchEntry, "kind" | "title" | "text" | "href">;
  best: number;
  readonly scores: number[];
}

/** The entry that is shown for what is found. */
function readEntry(index: SearchIndex, id: number): Place["entry"] | undefined {
  const stored = index.getStoredFields(id) as Place["entry"] | Pick<SearchPhrase, "of"> | undefined;
  return stored !== undefined && "of" in stored ? readEntry(index, stored.of) : stored;
}

/** The sum of the words' scores, less for each word that is missing. */
function addUp(known: readonly Known[], whole: number, scores: readonly number[]): number {
  const coverage = known.reduce((sum, { worth }, at) => ((scores[at] ?? 0) > 0 ? sum + worth : sum), 0) / whole;
  return scores.reduce((sum, score) => sum + score, 0) * Math.sqrt(coverage);
}

/** What a question finds, the best first, each address once. */
export function findEntries(index: SearchIndex, text: string): FoundEntry[] {
  const known = readGroups(text).flatMap((group): Known[] => {
    const found = scoreGroup(index, group);
    if (found.size === 0) return [];
    const rarity = Math.log(1 + index.documentCount / found.size);
    const scores = new Map([...found].map(([id, score]) => [id, score / Math.sqrt(rarity)]));
    return [{ scores, worth: group.weight * rarity }];
  });
  const whole = known.reduce((sum, { worth }) => sum + worth, 0);
  const places = new Map<string, Place>();
  for (const id of new Set(known.flatMap(({ scores }) => [...scores.keys()]))) {
    const entry = readEntry(index, id);
    if (entry === undefined) continue;
    const scores = known.map(({ scores: of }) => of.get(id) ?? 0);
    const score = addUp(known, whole, scores);
    const place = places.get(entry.href) ?? { entry, best: 0, scores: known.map(() => 0) };
    if (score > place.best) Object.assign(place, { entry, best: score });
    scores.forEach((of, at) => (place.scores[at] = Math.max(place.scores[at] ?? 0, of)));
    places.set(entry.href, place);
  }
  const asked = nameSubject(text);
  const words = new Set(splitWords(text.toLowerCase()));
  const found = [...places.values()].map(({ entry, best, scores }) => {
    const nearness = (best + addUp(known, whole, scores)) / 2;
    const isNamed = nameSubject(entry.title) === asked;
    return { ...entry, score: nearness * weighEntry(entry.kind, words) * (isNamed ? 10 : 1) };
  });
  return spread(found);
}

const byScore = (one: FoundEntry, other: FoundEntry): number => other.score - one.score;

/** Entries of one page that may follow each other as they are. A further one counts less, so that other pages are seen. */
const nearMax = 2;

function spread(found: FoundEntry[]): FoundEntry[] {
  const seen = new Map<string, number>();
  return found
    .toSorted(byScore)
    .map((entry) => {
      const [page = ""] = entry.href.split("#");
      const before = seen.get(page) ?? 0;
      seen.set(page, before + 1);
      return before < nearMax ? entry : { ...entry, score: entry.score * 0.8 };
    })
    .toSorted(byScore);
}
