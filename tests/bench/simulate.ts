/** `simulate.acts` and `simulate.days`: what the simulation plays in a minute, one seed after the other on each core. */
import { availableParallelism } from "node:os";
import { playApart } from "../simulate/child.ts";
import type { Benchmark, Measure } from "./measure.ts";
import { usePostgres } from "./world.ts";

const hoursDefault = 0.1;
/** 50,000 acts in two hours. */
const actsMin = 417;
const [minuteMs, hourMinutes] = [60_000, 60];

export const simulate: Benchmark = {
  names: ["simulate.acts", "simulate.days"],
  isByNameOnly: true,
  measure: async ({ wanted, printProgress, note, options: { hours } }) => {
    await usePostgres();
    const startedAt = performance.now();
    const measureMinutes = () => (performance.now() - startedAt) / minuteMs;
    const minutesMin = (hours ?? hoursDefault) * hourMinutes;
    const total = { seeds: 0, acts: 0, callbacks: 0, steps: 0 };
    let seed = 1;
    const playSome = async (): Promise<void> => {
      while (measureMinutes() < minutesMin) {
        const played = seed++;
        const said = await playApart(["--seed", String(played)]);
        if (said.broken.length > 0) throw new Error(`seed ${played}: ${said.broken.join("; ")}`);
        total.seeds++;
        total.acts += said.acts;
        total.callbacks += said.callbacks;
        total.steps += said.steps;
        printProgress(`simulate: ${total.seeds} seeds`);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, playSome));
    const minutes = measureMinutes();
    note(
      `simulate: ${total.seeds} days of three people in ${minutes.toFixed(1)} minutes: ${total.acts} acts of people, ${total.callbacks} callbacks, ${total.steps} messages`,
    );
    const acts = (total.acts + total.callbacks) / minutes;
    const days = total.seeds / minutes;
    const describe = (name: string, value: number, min: number | null): Measure => ({
      name,
      value,
      ratio: null,
      unit: "a minute",
      baseline: null,
      spread: [value, value],
      target: min === null ? null : `value >= ${min}`,
      met: min === null ? null : value >= min,
    });
    return [describe("simulate.acts", acts, actsMin), describe("simulate.days", days, null)].filter(({ name }) =>
      wanted.has(name),
    );
  },
};
