/**
 * Results of the benchmarks.
 *
 * - measure: one figure under its public name, with its target if there is one.
 * - benchmark: code for measures that can only be compared within one run.
 */

export interface Measure {
  readonly name: string;
  /** The figure over its baseline's: the median of the rounds' own ratios. Null without a baseline. */
  readonly ratio: number | null;
  readonly value: number;
  readonly unit: string;
  /** The baseline's figure in the same unit. */
  readonly baseline: number | null;
  readonly p50?: number;
  readonly p99?: number;
  /** Smallest and largest of the rounds' ratios, or of the runs' values: how noisy it was. */
  readonly spread: readonly [number, number];
  /** The target, as in `ratio >= 0.85`. */
  readonly target: string | null;
  /** Whether the target is met; null without a target or without a result. */
  readonly met: boolean | null;
}

export interface Options {
  /** Seconds of load per target and round. */
  readonly seconds: number;
  readonly rounds: number;
  /** How many requests `memory.read` makes. */
  readonly requests: number;
  /** How long `endurance`, `idle` and `simulate` last; null for their default. */
  readonly hours: number | null;
  /** The part of their rows that `books.close`, `figures.count`, `growth.operator` and `memory.export` are tried with; 1 for all, which alone has a target. */
  readonly share: number;
}

export interface Run {
  readonly wanted: ReadonlySet<string>;
  readonly options: Options;
  /** Reports progress. */
  printProgress(what: string): void;
  /** Adds a note that explains the figures. */
  note(text: string): void;
}

export interface Benchmark {
  readonly names: readonly string[];
  /** It takes so long that it runs only if it is named. */
  readonly isByNameOnly?: boolean;
  /** Measures the wanted ones of its names. */
  measure(run: Run): Promise<Measure[]>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? Number.NaN) + upper) / 2;
}

/** The measure of work beside many rows against the same beside few, one figure each. Only all rows have a target. */
export function compareGrowth({
  name,
  unit,
  value,
  baseline,
  share,
  ratioMax,
  valueMax,
}: Pick<Measure, "name" | "unit" | "value"> &
  Pick<Options, "share"> & { baseline: number; ratioMax: number; valueMax: number }): Measure {
  const ratio = value / baseline;
  return {
    name,
    ratio,
    value,
    unit,
    baseline,
    spread: [ratio, ratio],
    target: share < 1 ? null : `ratio <= ${ratioMax} and value <= ${valueMax}`,
    met: share < 1 ? null : ratio <= ratioMax && value <= valueMax,
  };
}
