/**
 * `bun run test:forge [calls] [seed]`: the contracts of an account, as the program deploys them, in the hands of owners, spender,
 * operator, strangers and time. `bun run test:forge mutants [name ...]` breaks contracts, set-up and policy, and fails where nobody notices.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { testSeed } from "../support/seed.ts";
import { playMutants } from "./mutants.ts";
import { compileTests, installForge, playWorld, workFolder } from "./play.ts";
import { makeWorld } from "./world.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [callsText = "100000", seedText] = process.argv.slice(2);
/** Fewer calls may not reach all that is counted. */
const countedFrom = 50_000;

const binary = await installForge();
if (binary === null) {
  say(
    "Skipped: forge is not here. Its package @foundry-rs/forge could not be installed, or has no program for this platform.",
  );
  process.exit(0);
}
await compileTests(binary);
if (callsText === "mutants") process.exit((await playMutants(binary, process.argv.slice(3), testSeed, say)) ? 0 : 1);
const [calls, seed] = [Number(callsText), Number(seedText ?? testSeed)];
const startedAt = performance.now();
const folder = join(workFolder, `world-${seed}`);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const verdicts = await makeWorld(folder, seed);
say(`seed ${seed}, ${calls} calls; vectors by the policy's verdict: ${JSON.stringify(verdicts)}`);
const played = await playWorld(binary, { folder, calls, seed });
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
for (const [name, count] of Object.entries(played.counts)) say(`  ${count} ${name}`);
const unreached = calls < countedFrom ? [] : Object.entries(played.counts).filter(([, count]) => count === 0);
for (const [name] of unreached) say(`✗ never reached: ${name}`);
if (!played.isGood) say(`✗ ${played.story}`);
const isGood = played.isGood && unreached.length === 0;
say(`${isGood ? "✓" : "✗"} ${played.calls} calls in ${minutes} minutes`);
process.exit(isGood ? 0 : 1);
