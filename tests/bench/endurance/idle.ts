/** `idle`: what `bun start` takes while nobody uses it. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "../measure.ts";
import { startProgram } from "./program.ts";
import { describeGrowth } from "./report.ts";
import { type Sample, takeSamples } from "./samples.ts";

const mbMax = 600;
const processorPercentMax = 3;
const hoursDefault = 0.05;
const msPerHour = 3_600_000;
/** After the start: first jobs, first garbage collection. */
const settleMs = 60_000;
/** The chain is quiet ten minutes after its last transaction. */
const quietAfterHours = 11 / 60;

export const idle: Benchmark = {
  names: ["idle"],
  isByNameOnly: true,
  measure: async ({ options, printProgress, note }) => {
    const hours = options.hours ?? hoursDefault;
    printProgress("idle: starts the program");
    const program = await startProgram({});
    await Bun.sleep(settleMs);
    printProgress(`idle: ${Math.ceil((quietAfterHours + hours) * 60)} minutes`);
    const taken = await takeSamples(program, join(tmpdir(), `cardkeep-idle-${Date.now()}.jsonl`));
    await Bun.sleep((quietAfterHours + hours) * msPerHour);
    await taken.stop();
    for (const text of describeGrowth(taken, quietAfterHours)) note(text);
    const isQuiet = ({ hours: since }: Sample) => since >= quietAfterHours;
    const memory = taken.samples.map((sample) => sum(sample, "proportionalMb")).toSorted((a, b) => a - b);
    const percent = measureProcessor(taken.samples.filter(isQuiet));
    const before = measureProcessor(taken.samples.filter((sample) => !isQuiet(sample)));
    note(`idle: ${before.toFixed(1)} % of a core before the chain was quiet`);
    const common = { ratio: null, baseline: null };
    const most = memory.at(-1) ?? Number.NaN;
    return [
      {
        ...common,
        name: "idle.memory",
        value: most,
        unit: "MB",
        spread: [memory[0] ?? Number.NaN, most],
        target: `value <= ${mbMax}`,
        met: most <= mbMax,
      },
      {
        ...common,
        name: "idle.processor",
        value: percent,
        unit: "%",
        spread: [percent, percent],
        target: `value <= ${processorPercentMax}`,
        met: percent <= processorPercentMax,
      },
    ];
  },
};

const sum = ({ parts }: Sample, figure: "proportionalMb" | "processorMs"): number =>
  Object.values(parts).reduce((total, part) => total + part[figure], 0);

/** Per cent of one core between the first and the last sample. */
function measureProcessor(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return Number.NaN;
  return (100 * (sum(last, "processorMs") - sum(first, "processorMs"))) / ((last.hours - first.hours) * msPerHour);
}
