/**
 * `bun run test:lives [owners|cards] [count] [seed]`: random lives of owners, by default 2,000, half of them hostile, and of
 * cards, by default 1,000. It fails if the operator lost money that is not owed, or more than the bound, if an honest account
 * was marked as changed, if ledger, chain and issuer differ in the end, or if a rule was broken.
 */
import { endEverything } from "../support/ends.ts";
import { testSeed } from "../support/seed.ts";
import { startService } from "../support/service.ts";
import type { Counts } from "./cardEvents.ts";
import { cardLivesEnv, playCards } from "./cardWorld.ts";
import { findFaults } from "./faults.ts";
import { playLives } from "./world.ts";

const ownersAtOnce = 50;
const cardsAtOnce = 100;
const cardsEach = 5;
const eventsEach = 12;

const [kind, countText, seedText] = process.argv.slice(2);
const seed = Number(seedText ?? testSeed);
const total: Counts = new Map();
let [events, approvals] = [0, 0];

/** Plays lives in worlds of a few, and returns how many faults there were. */
async function play(
  name: string,
  { count, atOnce }: { count: number; atOnce: number },
  playSome: (lives: number, seed: number) => Promise<string[]>,
) {
  let faults = 0;
  for (let played = 0; played < count; played += atOnce) {
    const lives = Math.min(atOnce, count - played);
    const found = await playSome(lives, seed + played);
    faults += found.length;
    process.stdout.write(`${played + lives} ${name}, seed ${seed + played}: ${found.join("; ") || "all is well"}\n`);
  }
  process.stdout.write(`${count} ${name}, ${faults} faults\n`);
  return faults;
}

const playOwners = async (lives: number, ownSeed: number) => findFaults(await playLives({ lives, seed: ownSeed }));

async function playSomeCards(lives: number, ownSeed: number): Promise<string[]> {
  const service = await startService({ env: cardLivesEnv });
  const books = await playCards(service, {
    people: Math.ceil(lives / cardsEach),
    cardsEach,
    eventsEach,
    seed: ownSeed,
  });
  await service.stop();
  for (const [name, { done, refused }] of books.counts) {
    const known = total.get(name) ?? { done: 0, refused: 0 };
    total.set(name, { done: known.done + done, refused: known.refused + refused });
  }
  events += books.events;
  approvals += books.approvals;
  return books.differences;
}

let faults = 0;
if (kind !== "cards")
  faults += await play("lives of owners", { count: Number(countText ?? 2_000), atOnce: ownersAtOnce }, playOwners);
if (kind !== "owners") {
  faults += await play("lives of cards", { count: Number(countText ?? 1_000), atOnce: cardsAtOnce }, playSomeCards);
  const rows = [...total].toSorted(([, a], [, b]) => b.done - a.done);
  for (const [name, { done, refused }] of rows) process.stdout.write(`  ${name}: ${done}, and ${refused} refused\n`);
  process.stdout.write(`${events} events, the sums of rules held at each of ${approvals} approvals\n`);
}
await endEverything();
process.exit(faults === 0 ? 0 : 1);
