/**
 * `bun run test:simulate [minutes] [seed]`: plays one seed after the other for so many minutes, some at a time, and fails if one broke.
 * By default 60 minutes, from a seed of this day, so that no two nights play the same ones.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { endEverything } from "../support/ends.ts";
import { getServerUrl, serverVariable } from "../support/postgres.ts";

const [minutesText, seedText] = process.argv.slice(2);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const seedsPerDay = 100_000;
const minutes = Number(minutesText ?? 60);
let next = Number(seedText ?? Math.floor(Date.now() / dayMs) * seedsPerDay);
const endsAt = performance.now() + minutes * minuteMs;
let [played, broken, steps] = [0, 0, 0];

interface Said {
  digest: string;
  steps: number;
  broken: string[];
}

const env = { ...process.env, [serverVariable]: await getServerUrl() };

async function play(seed: number): Promise<Said> {
  const options = ["--seed", String(seed), "--json"];
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
    const seed = next++;
    const said = await play(seed);
    played++;
    steps += said.steps;
    if (said.broken.length === 0) continue;
    broken++;
    process.stdout.write(`seed ${seed}: ${said.broken.join("; ")}\n  bun run simulate --story --seed ${seed}\n`);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, playOn));
process.stdout.write(`${played} seeds, ${steps} steps, ${broken} broken\n`);
await endEverything();
process.exit(broken === 0 && played > 0 ? 0 : 1);
