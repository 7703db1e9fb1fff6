/** Several targets under the same load, in turns, so that other load of the machine affects all of them alike. */
import { type LoadPlan, type LoadReport, runLoad } from "./load.ts";
import { median, type Run } from "./measure.ts";

export interface Target {
  readonly name: string;
  readonly plan: LoadPlan;
  /** Restores the state before a round. */
  reset?(): Promise<void>;
}

export interface Figures {
  readonly perSecond: number;
  /** Median over the rounds of this target's rate over the baseline's in the same round. */
  readonly ratio: number;
  readonly spread: readonly [number, number];
  readonly p50: number;
  readonly p99: number;
}

/** Figures of the baseline and each target: one warm-up load each, then all rounds, forwards and backwards. */
export async function compare(
  baseline: Target,
  targets: readonly Target[],
  { options, printProgress, note }: Run,
): Promise<{ baseline: Figures; targets: { name: string; figures: Figures }[] }> {
  const all = [baseline, ...targets].map((target) => ({ ...target, reports: [] as LoadReport[] }));
  for (let round = 0; round <= options.rounds; round++) {
    for (const { name, plan, reset, reports } of round % 2 === 0 ? all : all.toReversed()) {
      printProgress(`${name}: ${round === 0 ? "warm-up" : `round ${round} of ${options.rounds}`}`);
      await reset?.();
      const report = await runLoad(plan);
      if (round > 0) reports.push(report);
    }
  }
  const busy = Math.max(...all.flatMap(({ reports }) => reports.map((report) => report.busy)));
  note(
    `load: ${baseline.plan.connections} connections, own generator, which used up to ${Math.round(busy * 100)} % of a core`,
  );
  const [first, ...others] = all.map(({ name, reports }) => ({
    name,
    figures: summarize(reports, all[0]?.reports ?? []),
  }));
  if (!first) throw new Error("A comparison needs a baseline");
  return { baseline: first.figures, targets: others };
}

const rateOf = ({ count, seconds }: LoadReport): number => count / seconds;

function summarize(reports: readonly LoadReport[], baseline: readonly LoadReport[]): Figures {
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
