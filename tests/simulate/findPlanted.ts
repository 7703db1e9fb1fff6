/** The search for planted faults: a seed finds one that breaks an invariant, where the program without it holds them all. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playApart, type Said } from "./child.ts";
import { isAbout, nameOracle } from "./oracles/names.ts";
import { type Planted, planted } from "./planted.ts";
import { hasProbe } from "./probes.ts";

/** The finds so far, in the order of their faults: of each fault the newest. */
const findsPath = fileURLToPath(new URL("finds.json", import.meta.url));

export const readFinds = async (): Promise<Find[]> => Bun.file(findsPath).json();

/** Writes what is known now, and answers it. @param lost faults that their own seed does not find any more */
export async function keepFinds(finds: readonly Find[], lost: readonly string[]): Promise<Find[]> {
  const all = [...(await readFinds()).filter(({ fault }) => !lost.includes(fault)), ...finds];
  const newest = planted.flatMap(({ breaks }) => all.findLast(({ fault }) => fault === breaks) ?? []);
  await Bun.write(findsPath, `${JSON.stringify(newest, null, 2)}\n`);
  return newest;
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
  /** Earlier finds, whose faults are played with their own seeds first. */
  readonly known: readonly Find[];
  /** Whether the time is over. */
  isOver(): boolean;
  say(line: string): void;
  /** Parts of what the faults break, with commas between them. */
  readonly named: string;
}

export interface Searched {
  readonly finds: readonly Find[];
  /** Faults of which the seed that found them says nothing any more. */
  readonly lost: readonly string[];
  /** The seeds that broke without a fault. */
  readonly broken: readonly number[];
  readonly chosen: readonly Planted[];
}

/** Plays each known find, then seed after seed: first without a fault, and then with each that no seed has found. */
export async function findPlanted({ seeds, known, isOver, say, named }: Search): Promise<Searched> {
  const chosen = planted.filter(({ breaks }) => named.split(",").some((part) => breaks.includes(part)));
  const left = new Set(chosen);
  const played = new Set<Planted>();
  const reachable = new Set<string>();
  const [finds, lost, broken]: [Find[], Set<string>, Set<number>] = [[], new Set(), new Set()];
  const inTurn = createTurns(availableParallelism(), isOver);
  const cleans = new Map<string, Promise<Said | null>>();

  /** A seed without a fault, which is played once; null where the time is over. @param schedule the same acts, in another order of messages */
  const playClean = async (seed: number, schedule = 0): Promise<Said | null> => {
    const key = `${seed}:${schedule}`;
    const own = schedule === 0 ? [] : ["--schedule", String(schedule)];
    const isKnown = cleans.has(key);
    const playing = cleans.get(key) ?? inTurn(() => playApart([...plannedOptions(seed), ...own]), true);
    cleans.set(key, playing);
    const clean = await playing;
    if (!isKnown && clean !== null && clean.broken.length > 0) {
      broken.add(seed);
      say(`seed ${seed} breaks without a fault, in schedule ${schedule}: ${clean.broken.join("; ")}`);
    }
    return clean;
  };

  /** Whether a seed finds a fault: not where the program itself breaks, or breaks alike in another order of messages; null: unknown. */
  const playFault = async (seed: number, fault: Planted): Promise<boolean | null> => {
    const said = await inTurn(() => playApart([...plannedOptions(seed), "--mutant", fault.breaks]));
    if (said === null) return null;
    const found = judge(fault, said);
    if (found === null) {
      if (said.broken.length > 0) say(`seed ${seed}, "${fault.breaks}", of no invariant of it: ${said.broken[0]}`);
      const clean = await cleans.get(`${seed}:0`);
      if (clean && clean.digest !== said.digest) played.add(fault);
      return false;
    }
    played.add(fault);
    const clean = await playClean(seed);
    if (clean === null) return null;
    if (clean.broken.length > 0) return false;
    const other = await playClean(seed, 1);
    if (other === null) return null;
    if (other.broken.some((each) => nameOracle(each) === nameOracle(found))) return false;
    left.delete(fault);
    lost.delete(fault.breaks);
    finds.push({ fault: fault.breaks, seed, acts: said.acts, steps: said.steps, said: found });
    say(`seed ${seed} finds "${fault.breaks}" after ${said.acts} acts and ${said.steps} steps: ${found}`);
    return true;
  };

  const own = known
    .flatMap(({ fault, seed }) =>
      chosen.filter(({ breaks }) => breaks === fault).map((each) => ({ fault: each, seed })),
    )
    .toSorted((a, b) => a.seed - b.seed);
  await Promise.all(
    own.map(async ({ fault, seed }) => {
      if ((await playFault(seed, fault)) !== false) return;
      lost.add(fault.breaks);
      say(`seed ${seed} finds no more: "${fault.breaks}"`);
    }),
  );

  const rest = seeds[Symbol.iterator]();
  /** The next seed, whose clean run begins at once: beside the faults of the one before. */
  const begin = (): { seed: number; clean: Promise<Said | null> } | null => {
    if (left.size === 0 || isOver()) return null;
    const { value: seed, done } = rest.next();
    return done === true ? null : { seed, clean: playClean(seed) };
  };
  for (let playing = begin(); playing !== null;) {
    const { seed } = playing;
    const clean = await playing.clean;
    playing = begin();
    if (clean === null || clean.broken.length > 0) continue;
    const reached = new Set(clean.reached.map(({ fault }) => fault));
    for (const fault of reached) reachable.add(fault);
    const some = [...left].filter(({ breaks }) => !hasProbe(breaks) || reached.has(breaks));
    await Promise.all(some.map((fault) => playFault(seed, fault)));
  }
  const describe = (fault: Planted): string => {
    if (hasProbe(fault.breaks) && !reachable.has(fault.breaks)) return "not reached";
    return `not found${played.has(fault) ? "" : ", and without an effect"}`;
  };
  for (const fault of left) say(`${describe(fault)}: "${fault.breaks}"`);
  say(`${finds.length} of ${chosen.length} found`);
  return { finds, lost: [...lost], broken: [...broken], chosen };
}

type Turn = <T>(work: () => Promise<T>, isUrgent?: boolean) => Promise<T | null>;

/** Has so many works go on at once; the others follow in their order, urgent ones first. What has not begun in time is null. */
function createTurns(most: number, isOver: () => boolean): Turn {
  const waiting: (() => void)[] = [];
  let going = 0;
  return async (work, isUrgent = false) => {
    if (going < most) going++;
    else await new Promise<void>((resolve) => void (isUrgent ? waiting.unshift(resolve) : waiting.push(resolve)));
    try {
      return isOver() ? null : await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else going--;
    }
  };
}

/** What was said of an invariant that the fault concerns; null where nothing was. */
const judge = ({ about }: Planted, { broken }: Said): string | null =>
  broken.find((each) => isAbout(each, about)) ?? null;
