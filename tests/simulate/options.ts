/** What a run of the simulation plays: the same plan is the same run. */
import { parseArgs } from "node:util";

export interface Plan {
  readonly seed: number;
  readonly days: number;
  readonly people: number;
  /** Times a day at which all people act at once. */
  readonly rounds: number;
  /** Acts of one person in a round. */
  readonly acts: number;
  /** Whether it ends at the quiet point after the acts: no day passes in which lost callbacks are found and debts are paid. */
  readonly isBrief: boolean;
  /** Whether the world begins some seconds before the end of a day, for each seed. */
  readonly isAtMidnight: boolean;
  /** The same acts and faults, and another order of messages; 0: the seed's own. */
  readonly schedule: number;
  /** Messages that are released before the run ends, wherever it is; null: all are. */
  readonly until: number | null;
  /** Numbers of the acts and of the faults that happen; null: all. A failing plan is shrunk by them. */
  readonly keptActs: readonly number[] | null;
  readonly keptFaults: readonly number[] | null;
}

export interface Options {
  readonly plan: Plan;
  readonly isJson: boolean;
  readonly isStory: boolean;
  /** Whether the run is written for the sandbox console, which shows it step by step. */
  readonly isWatched: boolean;
  /** A part of what a mutant of `tests/mutants` breaks: it is planted in the program; null: none is. */
  readonly mutant: string | null;
  /** Whether each invariant is broken by hand in the end, to see that its oracle notices. */
  readonly isSpoiled: boolean;
  /** Whether a failing plan is made smaller. */
  readonly isShrunk: boolean;
  /** The digest that a replayed run has to have; null where none is known. */
  readonly expected: string | null;
  /** Where the whole trace is written; null: nowhere. */
  readonly traceFile: string | null;
}

export const usage = `Usage: bun run simulate --seed N [--days D] [--people P] [--rounds R] [--acts A] [--schedule N] [--until STEPS] [--brief] [--midnight] [--json] [--story] [--watch] [--spoil] [--shrink] [--trace FILE] [--mutant TEXT]
       bun run simulate --replay FILE [--json] [--story] [--watch] [--trace FILE] [--mutant TEXT]
`;

const isWhole = (value: unknown, from: number): value is number => Number.isSafeInteger(value) && Number(value) >= from;

/** @throws Error with what is wrong, in one line */
export async function readOptions(given: string[]): Promise<Options> {
  const { values } = parseArgs({
    args: given,
    options: {
      seed: { type: "string" },
      days: { type: "string" },
      people: { type: "string" },
      rounds: { type: "string" },
      acts: { type: "string" },
      schedule: { type: "string" },
      until: { type: "string" },
      brief: { type: "boolean", default: false },
      midnight: { type: "boolean", default: false },
      replay: { type: "string" },
      mutant: { type: "string" },
      trace: { type: "string" },
      json: { type: "boolean", default: false },
      story: { type: "boolean", default: false },
      watch: { type: "boolean", default: false },
      spoil: { type: "boolean", default: false },
      shrink: { type: "boolean", default: false },
    },
  });
  const whole = (
    name: "seed" | "days" | "people" | "rounds" | "acts" | "schedule" | "until",
    otherwise: number,
    from = 1,
  ): number => {
    const number = values[name] === undefined ? otherwise : Number(values[name]);
    if (!isWhole(number, from)) throw new Error(`--${name} must be a whole number from ${from}`);
    return number;
  };
  const replayed = values.replay === undefined ? null : await readReplay(values.replay);
  if (replayed === null && values.seed === undefined) throw new Error("--seed or --replay is missing");
  const plan = replayed?.plan ?? {
    seed: whole("seed", 0, 0),
    days: whole("days", 1),
    people: whole("people", 3),
    rounds: whole("rounds", 2),
    acts: whole("acts", 12),
    isBrief: values.brief,
    isAtMidnight: values.midnight,
    schedule: whole("schedule", 0, 0),
    until: values.until === undefined ? null : whole("until", 0),
    keptActs: null,
    keptFaults: null,
  };
  return {
    plan,
    isJson: values.json,
    isStory: values.story,
    isWatched: values.watch,
    mutant: values.mutant ?? null,
    isSpoiled: values.spoil,
    isShrunk: values.shrink,
    expected: replayed?.digest ?? null,
    traceFile: values.trace ?? null,
  };
}

/** A plan in a file, as a failing run writes it. */
async function readReplay(path: string): Promise<{ plan: Plan; digest: string | null }> {
  const said: unknown = await Bun.file(path).json();
  const {
    seed,
    days,
    people,
    rounds,
    acts,
    isBrief = false,
    isAtMidnight = false,
    schedule = 0,
    until = null,
    keptActs = null,
    keptFaults = null,
    digest = null,
  } = said as Plan & { digest?: string };
  const isList = (list: unknown): boolean =>
    list === null || (Array.isArray(list) && list.every((each) => isWhole(each, 0)));
  const isPlan = isWhole(seed, 0) && [days, people, rounds, acts, until ?? 1].every((each) => isWhole(each, 1));
  if (!isPlan || !isWhole(schedule, 0) || !isList(keptActs) || !isList(keptFaults))
    throw new Error(`${path} is no plan of a simulation`);
  const kind = { isBrief: isBrief === true, isAtMidnight: isAtMidnight === true };
  return { plan: { seed, days, people, rounds, acts, ...kind, schedule, until, keptActs, keptFaults }, digest };
}
