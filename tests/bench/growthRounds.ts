/** Rounds beside a thousand and a million of each row, in turns. */
import { type Measure, median, type Run } from "./measure.ts";

export const sizes = { small: 1_000, large: 1_000_000 };
export type Size = keyof typeof sizes;

/** An operator does not notice less. A ratio is no target: a thousand rows are a few pages, which Postgres reads as a whole. */
const p99MsMax = 500;

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Carries out a warm-up and all rounds; answers the measure, and the loads beside the large tables. */
export async function compareSizes<L extends Load>(
  run: Run,
  { name, unit, load }: { name: string; unit: string; load: (size: Size) => Promise<L> },
): Promise<{ measure: Measure; large: readonly L[] }> {
  const rounds: { small: L; large: L }[] = [];
  for (let round = 0; round <= run.options.rounds; round++) {
    run.printProgress(`${name}: ${round === 0 ? "warm-up" : `round ${round} of ${run.options.rounds}`}`);
    const loads = { small: await load("small"), large: await load("large") };
    if (round > 0) rounds.push(loads);
  }
  const ratios = rounds.map(({ small, large }) => large.perSecond / small.perSecond);
  const large = rounds.map((round) => round.large);
  const p99 = median(large.map((each) => each.p99));
  const small = rounds.map((round) => round.small);
  run.note(
    `${name}: p99 ${p99.toFixed(0)} ms, and ${median(small.map((each) => each.p99)).toFixed(0)} ms beside small tables`,
  );
  return {
    large,
    measure: {
      name,
      ratio: median(ratios),
      value: median(large.map((each) => each.perSecond)),
      unit,
      baseline: median(small.map((each) => each.perSecond)),
      p50: median(large.map((each) => each.p50)),
      p99,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      target: run.options.share < 1 ? null : `p99 <= ${p99MsMax} ms`,
      met: run.options.share < 1 ? null : p99 <= p99MsMax,
    },
  };
}
