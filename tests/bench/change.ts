/**
 * What became faster or slower between two trees, from pairs of runs.
 *
 * A change counts if every pair shows it and its median is at least 2 %. Without a real change, six pairs agree by
 * chance once in 32 comparisons.
 */
import { type Measure, median } from "./measure.ts";

const changeMin = 0.02;
/** Fewer pairs agree by chance too often. */
const pairsMin = 5;

/** One figure of a run. */
export interface Comparable {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface Change {
  readonly name: string;
  readonly unit: string;
  /** Medians over the pairs. */
  readonly before: number;
  readonly after: number;
  /** Median over the pairs of how many times better this tree is: 2 is twice the rate, or half the time. */
  readonly factor: number;
  /** Smallest and largest of the pairs' factors. */
  readonly spread: readonly [number, number];
  readonly verdict: "better" | "worse" | "no change beyond the spread" | "too few pairs";
}

/** The figures of a measure that say something about this tree alone; ratios to a baseline of the same tree do not. */
export const listComparable = ({ name, value, unit, p99 }: Measure): Comparable[] => [
  { name, value, unit },
  ...(p99 === undefined ? [] : [{ name: `${name} p99`, value: p99, unit: isRate(unit) ? "ms" : unit }]),
];

/** Of a rate more is better, of a time, size or number of blocks less. */
const isRate = (unit: string): boolean => unit.endsWith("/s");

/** Less than one block or one megabyte is no difference, and growth of memory may be negative. */
const leastOf = (unit: string): number => (unit === "MB" || unit === "blocks" ? 1 : Number.MIN_VALUE);

/** The change of one figure over all pairs. */
export function describeChange(
  name: string,
  unit: string,
  pairs: readonly { before: number; after: number }[],
): Change {
  const least = leastOf(unit);
  const factors = pairs.map(({ before, after }) => {
    const factor = Math.max(after, least) / Math.max(before, least);
    return isRate(unit) ? factor : 1 / factor;
  });
  const spread = [Math.min(...factors), Math.max(...factors)] as const;
  const factor = median(factors);
  return {
    name,
    unit,
    before: median(pairs.map(({ before }) => before)),
    after: median(pairs.map(({ after }) => after)),
    factor,
    spread,
    verdict: decideVerdict(pairs.length, factor, spread),
  };
}

function decideVerdict(pairs: number, factor: number, [low, high]: Change["spread"]): Change["verdict"] {
  if (pairs < pairsMin) return "too few pairs";
  if (low > 1 && factor >= 1 + changeMin) return "better";
  if (high < 1 && factor <= 1 / (1 + changeMin)) return "worse";
  return "no change beyond the spread";
}
