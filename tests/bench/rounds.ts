/** Several targets under the same load, in turns, so that other load of the machine affects all of them alike. */
import { type LoadPlan, type LoadReport, runLoad } from "./load.ts";
import { median, type Run } from "./measure.ts";
import type { ProcessorClock, ProcessorTime } from "./processorTime.ts";

export interface Target {
  readonly name: string;
  readonly plan: LoadPlan;
  /** Restores the state before a round. */
  reset?(): Promise<void>;
  /** Reads the processor time that the target has used; null where the machine does not tell it. */
  readonly clock?: ProcessorClock | null;
}

export interface Figures {
  readonly perSecond: number;
  /** Median over the rounds of this target's rate over the baseline's in the same round. */
  readonly ratio: number;
  readonly spread: readonly [number, number];
  readonly p50: number;
  readonly p99: number;
}

/** A target's figures, and for each of its rounds the processor time of one request; no rounds without a clock. */
export interface Measured {
  readonly figures: Figures;
  readonly processor: readonly ProcessorTime[];
}

type Report = LoadReport & { readonly processor: ProcessorTime | null };

/** Figures of the baseline and each target: one warm-up load each, then all rounds, forwards and backwards. */
export async function compare(
  baseline: Target,
  targets: readonly Target[],
  { options, printProgress, note }: Run,
): Promise<{ baseline: Measured; targets: (Measured & { name: string })[] }> {
  const all = [baseline, ...targets].map((target) => ({ ...target, reports: [] as Report[] }));
  for (let round = 0; round <= options.rounds; round++) {
    for (const { name, plan, reset, clock, reports } of round % 2 === 0 ? all : all.toReversed()) {
      printProgress(`${name}: ${round === 0 ? "warm-up" : `round ${round} of ${options.rounds}`}`);
      await reset?.();
      const before = clock?.();
      const report = await runLoad(plan);
      const after = clock?.();
      const processor = before && after ? perRequest(before, after, report) : null;
      if (round > 0) reports.push({ ...report, processor });
    }
  }
  const busy = Math.max(...all.flatMap(({ reports }) => reports.map((report) => report.busy)));
  note(
    `load: ${baseline.plan.connections} connections, own generator, which used up to ${Math.round(busy * 100)} % of a core`,
  );
  const [first, ...others] = all.map(({ name, reports }) => ({
    name,
    figures: summarize(reports, all[0]?.reports ?? []),
    processor: reports.flatMap(({ processor }) => processor ?? []),
  }));
  if (!first) throw new Error("A comparison needs a baseline");
  return { baseline: first, targets: others };
}

const rateOf = ({ count, seconds }: LoadReport): number => count / seconds;

const perRequest = (before: ProcessorTime, after: ProcessorTime, { count }: LoadReport): ProcessorTime => ({
  server: (after.server - before.server) / count,
  postgres: (after.postgres - before.postgres) / count,
});

function summarize(reports: readonly Report[], baseline: readonly Report[]): Figures {
  const ratios = reports.map((report, round) => {
    const beside = baseline[round];
    return beside ? rateOf(report) / rateOf(beside) : Number.NaN;
  });
  return {
    perSecond: median(reports.map(rateOf)),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    p50: median(reports.map(({ p50Ms }) => p50Ms)),
    p99: median(reports.map(({ p99Ms }) => p99Ms)),
  };
}
