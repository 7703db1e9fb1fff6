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
/** Who takes all money again and again has declined cards, and nothing more comes of them. */
const seldom: readonly string[] = ["theft", "pause"];

export const createMood = (seed: number): Mood => ({
  factorOf: (kind) => {
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
