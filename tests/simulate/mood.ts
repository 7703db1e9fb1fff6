/**
 * The mood of a seed: what it plays often, and what never. Most faults need some kinds of acts again and again and are hidden by
 * others, so that seeds which leave out some find more together than seeds which are all alike.
 */
import { createStream } from "./seededRandom.ts";

export interface Mood {
  /** How much more often, or less, than by its own weight. */
  factorOf(kind: string): number;
}

const factors = [0, 0.3, 1, 1, 1, 3, 6];
/** What one life is full of, more so what is named twice; each seed lives one of them, and all else as its mood says. */
const themes: readonly (readonly string[])[] = [
  // Who spends more than there is.
  [
    "over-capture",
    "forced captures at once",
    "verification that is captured",
    "reversed purchase that is captured",
    "money",
    "debt given up",
    "debt at the till",
  ],
  // Who is at two places at once.
  [
    "same money",
    "two purchases at once",
    "two increments at once",
    "increment and capture at once",
    "freeze",
    "freeze at the till",
    "wealth",
    "stalls",
  ],
  // Who changes plans: merchants give back, in parts and late.
  [
    "capture of a part",
    "reversal of a part",
    "refund",
    "capture after an end",
    "capture that is returned",
    "empty till",
    "emptied till",
    "refund that is taken back",
  ],
  // A chain that is not calm.
  [
    "reorganisations",
    "copies",
    "copies",
    "copies",
    "foreign transactions",
    "foreign transactions",
    "capture",
    "refund",
    "theft",
    "replays",
  ],
  // Who moves money out, again and again.
  ["withdrawal", "withdrawal", "withdrawal", "pause", "money", "wealth", "stalls"],
  // A bad day of the installation.
  ["crashes", "losses", "stalls", "believed dead", "increment", "capture of a part", "steps at once"],
];
const themeFactor = 5;
/** Who takes all money again and again has declined cards, and nothing more comes of them. */
const seldom: readonly string[] = ["theft", "pause"];

/** What no other theme has. */
const themed: readonly string[] = ["replays"];

/** What only some seeds of each theme play: it would hide from the others what they show. */
const rough: readonly string[] = ["believed dead", "freeze at the till", "replays"];
const roughEvery = 3;
const isRough = (seed: number): boolean => Math.floor(seed / themes.length) % roughEvery === roughEvery - 1;

export const createMood = (seed: number): Mood => ({
  factorOf: (kind) => {
    if (rough.includes(kind) && !isRough(seed)) return 0;
    const named = themes[seed % themes.length]?.filter((each) => each === kind).length ?? 0;
    if (named > 0) return named * themeFactor;
    if (themed.includes(kind)) return 0;
    const factor = factors[createStream(seed, `mood of ${kind}`).below(factors.length)] ?? 1;
    return seldom.includes(kind) ? Math.min(1, factor) : factor;
  },
});

/** A kind by chance, as its weight and the mood say; null where none has any. */
export function pickKind<K extends string>(
  weights: Readonly<Record<K, number>>,
  { factorOf }: Mood,
  below: (below: number) => number,
): K | null {
  const precision = 1_000;
  const kinds = Object.entries<number>(weights).map(([kind, weight]) => ({
    kind: kind as K,
    share: Math.round(weight * factorOf(kind) * precision),
  }));
  let dice = below(
    Math.max(
      1,
      kinds.reduce((sum, { share }) => sum + share, 0),
    ),
  );
  for (const { kind, share } of kinds) {
    if (dice < share) return kind;
    dice -= share;
  }
  return null;
}
