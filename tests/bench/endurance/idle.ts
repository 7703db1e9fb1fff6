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
/** After the start: first jobs, first garbage collection. */
const settleMs = 60_000;
const msPerHour = 3_600_000;

export const idle: Benchmark = {
  names: ["idle"],
  measure: async ({ options, printProgress, note }) => {
    const hours = options.hours ?? hoursDefault;
    printProgress("idle: starts the program");
    const program = await startProgram({});
    await Bun.sleep(settleMs);
    printProgress(`idle: ${Math.ceil(hours * 60)} minutes`);
    const taken = await takeSamples(program, join(tmpdir(), `cardkeep-idle-${Date.now()}.jsonl`));
    await Bun.sleep(hours * msPerHour);
    await taken.stop();
    for (const text of describeGrowth(taken, 0)) note(text);
    const memory = taken.samples.map((sample) => sum(sample, "proportionalMb")).toSorted((a, b) => a - b);
    const [first, last] = [taken.samples[0], taken.samples.at(-1)];
    const percent = first && last ? measureProcessor(first, last) : Number.NaN;
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

/** Per cent of one core between two samples. */
const measureProcessor = (first: Sample, last: Sample): number =>
  (100 * (sum(last, "processorMs") - sum(first, "processorMs"))) / ((last.hours - first.hours) * msPerHour);
