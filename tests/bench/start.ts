/** `start.warm`: from `bun start` to its ready line, after everything was installed, compiled and migrated. */
import { rm } from "node:fs/promises";
import { atEnd } from "../support/ends.ts";
import { nameHome, spawnProgram } from "./endurance/program.ts";
import { type Benchmark, median } from "./measure.ts";

const secondsMax = 3;
const startsMax = 3;

export const start: Benchmark = {
  names: ["start.warm"],
  measure: async ({ options, printProgress }) => {
    const home = nameHome();
    atEnd(() => rm(home, { recursive: true, force: true }));
    printProgress("start.warm: the first start, which is not measured");
    await startAndStop(home);
    const seconds: number[] = [];
    for (let count = 1; count <= Math.min(options.rounds, startsMax); count++) {
      printProgress(`start.warm: start ${count}`);
      seconds.push(await startAndStop(home));
    }
    const value = median(seconds);
    return [
      {
        name: "start.warm",
        ratio: null,
        value,
        unit: "s",
        baseline: null,
        spread: [Math.min(...seconds), Math.max(...seconds)],
        target: `value <= ${secondsMax}`,
        met: value <= secondsMax,
      },
    ];
  },
};

/** Seconds until it is ready. */
async function startAndStop(home: string): Promise<number> {
  const startedAt = performance.now();
  const { child: everything } = await spawnProgram("start", home);
  const stop = async () => {
    everything.kill("SIGTERM");
    await everything.exited;
  };
  try {
    await everything.ready("Cardkeep is ready");
    return (performance.now() - startedAt) / 1000;
  } finally {
    await stop();
  }
}
