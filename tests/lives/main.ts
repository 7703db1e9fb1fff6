/**
 * `bun run test:lives [count] [seed]`: random lives, by default 2,000, half of them hostile. It fails if the operator
 * lost money that is not owed, or more than the bound, or if an honest account was marked as changed.
 */
import { endEverything } from "../support/ends.ts";
import { findFaults } from "./faults.ts";
import { playLives } from "./world.ts";

const atOnce = 50;
const count = Number(process.argv[2] ?? 2_000);
const seed = Number(process.argv[3] ?? 1 + (Date.now() % 1_000_000));
const faults: string[] = [];
for (let played = 0; played < count; played += atOnce) {
  const losses = await playLives({ lives: Math.min(atOnce, count - played), seed: seed + played });
  const found = findFaults(losses);
  faults.push(...found);
  process.stdout.write(`${played + losses.lives} lives, seed ${seed + played}: ${found.join("; ") || "all is well"}\n`);
}
await endEverything();
process.stdout.write(`${count} lives, ${faults.length} faults\n`);
process.exit(faults.length === 0 ? 0 : 1);
