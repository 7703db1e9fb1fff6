/**
 * `bun run test:simulate [minutes] [seed]`: plays one seed after the other for so many minutes, some at a time, and fails if one broke.
 * By default 60 minutes, first the seeds that broke once, then from a seed of this day, so that no two nights play the same ones.
 *
 * `bun run test:simulate planted [minutes] [seed]` plants the faults of `planted.ts`, one after the other, and says which seed finds which.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { endEverything } from "../support/ends.ts";
import { failedSeeds } from "./failedSeeds.ts";
import { planted } from "./planted.ts";
import { getServerUrl, serverVariable } from "../support/postgres.ts";

const isPlanted = process.argv[2] === "planted";
const [minutesText, seedText] = process.argv.slice(isPlanted ? 3 : 2);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const seedsPerDay = 100_000;
const minutes = Number(minutesText ?? 60);
let next = Number(seedText ?? Math.floor(Date.now() / dayMs) * seedsPerDay);
const endsAt = performance.now() + minutes * minuteMs;
const again = seedText === undefined ? [...failedSeeds.keys()] : [];
let [played, broken, steps] = [0, 0, 0];

interface Said {
  digest: string;
  steps: number;
  broken: string[];
}

const env = { ...process.env, [serverVariable]: await getServerUrl() };

async function play(seed: number, fault: string | null = null): Promise<Said> {
  const options = ["--seed", String(seed), "--json", ...(fault === null ? [] : ["--mutant", fault])];
  const child = Bun.spawn([process.execPath, "tests/simulate/main.ts", ...options], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env,
    stdout: "pipe",
    stderr: "inherit",
  });
  const said = await new Response(child.stdout).text();
  const last = said.trim().split("\n").at(-1) ?? "";
  return last.startsWith("{")
    ? JSON.parse(last)
    : { digest: "", steps: 0, broken: [`it ended with ${await child.exited}`] };
}

async function playOn(): Promise<void> {
  while (performance.now() < endsAt) {
    const seed = again.shift() ?? next++;
    const said = await play(seed);
    played++;
    steps += said.steps;
    if (said.broken.length === 0) continue;
    broken++;
    process.stdout.write(`seed ${seed}: ${said.broken.join("; ")}\n  bun run simulate --story --seed ${seed}\n`);
  }
}

/** Plays the faults that no seed has found, seed by seed. */
async function findPlanted(): Promise<void> {
  const left = new Set(planted.map(({ breaks }) => breaks));
  for (let seed = Number(seedText ?? 1); left.size > 0 && performance.now() < endsAt; seed++) {
    const queue = [...left];
    const playSome = async (): Promise<void> => {
      for (let fault = queue.shift(); fault !== undefined && performance.now() < endsAt; fault = queue.shift()) {
        const said = await play(seed, fault);
        if (said.broken.length === 0) continue;
        left.delete(fault);
        process.stdout.write(`seed ${seed} finds "${fault}" in ${said.steps} steps: ${said.broken.join("; ")}\n`);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, playSome));
  }
  for (const fault of left) process.stdout.write(`not found: "${fault}"\n`);
  process.stdout.write(`${planted.length - left.size} of ${planted.length} found\n`);
}

if (isPlanted) await findPlanted();
else {
  await Promise.all(Array.from({ length: availableParallelism() }, playOn));
  process.stdout.write(`${played} seeds, ${steps} steps, ${broken} broken\n`);
}
await endEverything();
process.exit(isPlanted || (broken === 0 && played > 0) ? 0 : 1);
