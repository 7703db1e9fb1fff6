/**
 * `bun run test:simulate [minutes] [seed]`: plays one seed after the other for so many minutes, some at a time, and fails if one broke.
 * By default 60 minutes, first the seeds that broke once, then from a seed of this day, so that no two nights play the same ones.
 *
 * Several seeds with commas between them are played alone.
 *
 * `bun run test:simulate twice [minutes] [seed]` plays each seed twice, and fails too where the digests differ: the traces stay, and the
 * first line that differs is said.
 *
 * `bun run test:simulate midnight [minutes] [seed]` plays each seed from some seconds before the end of a day.
 *
 * `bun run test:simulate planted [minutes] [seed] [text]` plants the faults of `planted.ts`, or those whose name has the text or one of
 * several with commas between them, and says which seed finds which. The finds are kept in `finds.json`. Without a seed each of them is
 * played first, with its own seed alone. It fails where a seed breaks without a fault, or where less than 92 % of the faults are found.
 *
 * What begins with `--` goes to each play, such as `--brief` or `--people=1`.
 */
import { availableParallelism } from "node:os";
import { endEverything } from "../support/ends.ts";
import { playApart } from "./child.ts";
import { playTwice } from "./twice.ts";
import { failedSeeds } from "./failedSeeds.ts";
import { findPlanted, keepFinds, readFinds } from "./findPlanted.ts";

const modes = ["planted", "twice", "midnight"];
const mode = modes.find((each) => each === process.argv[2]) ?? null;
const given = process.argv.slice(mode === null ? 2 : 3);
const [minutesText, seedText, named = ""] = given.filter((each) => !each.startsWith("--"));
const passed = given.filter((each) => each.startsWith("--"));
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const seedsPerDay = 100_000;
const endsAt = performance.now() + Number(minutesText ?? 60) * minuteMs;
const isOver = () => performance.now() > endsAt;
/** Of the planted faults, in percent. */
const foundMin = 92;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function* listSeeds(): Generator<number> {
  if (seedText === undefined && mode === null) yield* failedSeeds.keys();
  const listed = (seedText ?? "").split(",").map(Number);
  if (listed.length > 1) return yield* listed;
  for (let seed = Number(seedText ?? Math.floor(Date.now() / dayMs) * seedsPerDay); ; seed++) yield seed;
}

const seeds = listSeeds();
const totals = { seeds: 0, acts: 0, steps: 0, broken: 0 };

async function playOn(): Promise<void> {
  for (const seed of seeds) {
    const options = ["--seed", String(seed), ...(mode === "midnight" ? ["--midnight"] : []), ...passed];
    const said = mode === "twice" ? await playTwice(seed, options) : await playApart(options);
    const broken = [...said.broken];
    totals.seeds++;
    totals.acts += said.acts;
    totals.steps += said.steps;
    if (broken.length > 0) {
      totals.broken++;
      say(`seed ${seed}: ${broken.join("; ")}\n  bun run simulate --story ${options.join(" ")}`);
    }
    if (isOver()) return;
  }
}

/** Whether no seed broke without a fault, and enough faults are found. */
async function searchPlanted(): Promise<boolean> {
  const known = seedText === undefined ? await readFinds() : [];
  const { finds, lost, broken, chosen } = await findPlanted({ seeds, known, isOver, say, named });
  const kept = await keepFinds(finds, lost);
  const count = chosen.filter(({ breaks }) => kept.some(({ fault }) => fault === breaks)).length;
  say(`${count} of ${chosen.length} are in finds.json`);
  return broken.length === 0 && count * 100 >= foundMin * chosen.length;
}

async function playAll(): Promise<boolean> {
  await Promise.all(Array.from({ length: availableParallelism() }, playOn));
  say(`${totals.seeds} seeds, ${totals.acts} acts, ${totals.steps} steps, ${totals.broken} broken`);
  return totals.broken === 0 && totals.seeds > 0;
}

const isHeld = await (mode === "planted" ? searchPlanted() : playAll());
await endEverything();
process.exit(isHeld ? 0 : 1);
