/** The search for planted faults: a seed finds one that breaks an invariant, where the program without it holds them all. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playApart, type Said } from "./child.ts";
import { isAbout } from "./oracles/names.ts";
import { type Planted, planted } from "./planted.ts";

/** The finds so far, in the order of their faults: of each fault the newest. */
const findsPath = fileURLToPath(new URL("finds.json", import.meta.url));

export const readFinds = async (): Promise<Find[]> => Bun.file(findsPath).json();

export async function keepFinds(finds: readonly Find[]): Promise<void> {
  const all = [...(await readFinds()), ...finds];
  const newest = planted.flatMap(({ breaks }) => all.findLast(({ fault }) => fault === breaks) ?? []);
  await Bun.write(findsPath, `${JSON.stringify(newest, null, 2)}\n`);
}

/** How a fault was found. */
export interface Find {
  readonly fault: string;
  readonly seed: number;
  readonly acts: number;
  readonly steps: number;
  /** The oracle and what it said. */
  readonly said: string;
}

/** Few people who act much: what all wait for is played once. */
const plannedOptions = (seed: number): string[] => `--seed ${seed} --people 1 --rounds 1 --acts 40 --brief`.split(" ");

interface Search {
  /** The seeds, in their order. */
  readonly seeds: Iterable<number>;
  /** Whether the time is over. */
  isOver(): boolean;
  say(line: string): void;
  /** Parts of what the faults break, with commas between them. */
  readonly named: string;
}

/** Plays seed after seed, first without a fault and then with each that no seed has found. */
export async function findPlanted({ seeds, isOver, say, named }: Search): Promise<Find[]> {
  const chosen = planted.filter(({ breaks }) => named.split(",").some((part) => breaks.includes(part)));
  const left = new Set(chosen);
  const played = new Set<Planted>();
  const finds: Find[] = [];
  for (const seed of seeds) {
    if (left.size === 0 || isOver()) break;
    const clean = await playApart(plannedOptions(seed));
    if (clean.broken.length > 0) {
      say(`seed ${seed} breaks without a fault: ${clean.broken.join("; ")}`);
      continue;
    }
    const queue = [...left];
    const playSome = async (): Promise<void> => {
      for (let fault = queue.shift(); fault !== undefined && !isOver(); fault = queue.shift()) {
        const said = await playApart([...plannedOptions(seed), "--mutant", fault.breaks]);
        if (said.digest !== clean.digest) played.add(fault);
        const found = judge(fault, said);
        if (found === null && said.broken.length > 0)
          say(`seed ${seed}, "${fault.breaks}", of no invariant of it: ${said.broken[0]}`);
        if (found === null) continue;
        left.delete(fault);
        finds.push({ fault: fault.breaks, seed, acts: said.acts, steps: said.steps, said: found });
        say(`seed ${seed} finds "${fault.breaks}" after ${said.acts} acts and ${said.steps} steps: ${found}`);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, playSome));
  }
  for (const fault of left) say(`not found${played.has(fault) ? "" : ", and without an effect"}: "${fault.breaks}"`);
  say(`${finds.length} of ${chosen.length} found`);
  return finds;
}

/** What was said of an invariant that the fault concerns; null where nothing was. */
const judge = ({ about }: Planted, { broken }: Said): string | null =>
  broken.find((each) => isAbout(each, about)) ?? null;
