/** `bun run bench [name ...]`: the benchmarks, each as a ratio to its baseline in the same run. */
import { createProgress } from "@cardkeep/terminal/progress";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { endEverything } from "../support/ends.ts";
import { compareWithRevision } from "./compare.ts";
import type { Benchmark, Measure, Run } from "./measure.ts";
import { attacksBenchmark } from "./attacks.ts";
import { authorize } from "./authorize.ts";
import { authorizeRules } from "./authorizeRules.ts";
import { booksClose } from "./booksClose.ts";
import { deployBlocks } from "./deployBlocks.ts";
import { endurance } from "./endurance/endurance.ts";
import { idle } from "./endurance/idle.ts";
import { figuresCount } from "./figuresCount.ts";
import { growth } from "./growth.ts";
import { growthOperator } from "./growthOperator.ts";
import { memory } from "./memory.ts";
import { memoryExport } from "./memoryExport.ts";
import { memoryStatement } from "./memoryStatement.ts";
import { migrations } from "./migrations.ts";
import { read } from "./read.ts";
import { simulate } from "./simulate.ts";
import { start } from "./start.ts";
import { search } from "./search.ts";
import { relay } from "./relay.ts";
import { relayLateness } from "./relayLateness.ts";
import { remoteRelay } from "./remoteRelay.ts";
import { renderChanges, renderTable } from "./table.ts";
import { webhooks } from "./webhooks.ts";
import { withdraw } from "./withdraw.ts";

const benchmarks: readonly Benchmark[] = [
  read,
  withdraw,
  authorize,
  authorizeRules,
  relay,
  relayLateness,
  deployBlocks,
  remoteRelay,
  webhooks,
  growth,
  search,
  growthOperator,
  migrations,
  start,
  memory,
  memoryExport,
  memoryStatement,
  booksClose,
  figuresCount,
  attacksBenchmark,
  simulate,
  idle,
  endurance,
];
const byNameOnly = benchmarks.filter(({ isByNameOnly }) => isByNameOnly === true);
const knownNames = benchmarks.flatMap(({ names }) => names);
const usage = `bun run bench [name ...] [--json] [--check] [--seconds n] [--rounds n] [--requests n] [--hours n] [--share n]
bun run bench --compare REV [name ...] [--json] [--pairs n] [--seconds n] [--rounds n] [--requests n]
Names: ${knownNames.join(" ")}
Only by name: ${byNameOnly.flatMap(({ names }) => names).join(" ")}`;

/** Prints one line and exits, before anything starts. */
function refuse(reason: string): never {
  process.stderr.write(`bench: ${reason}\n`);
  process.exit(2);
}

function readArguments() {
  const number = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: flag,
        check: flag,
        help: flag,
        seconds: number,
        rounds: number,
        requests: number,
        hours: number,
        share: number,
        compare: { type: "string" },
        pairs: number,
      },
    });
    return { ...values, names: positionals };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function readNumber(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  return value > 0 && Number.isFinite(value) ? value : refuse(`--${name} takes a number above 0`);
}

const given = readArguments();
if (given.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const unknownNames = given.names.filter((name) => !knownNames.includes(name));
if (unknownNames.length > 0) refuse(`there is no ${unknownNames.join(", ")}; there are ${knownNames.join(", ")}`);
const pairs = Math.ceil(readNumber("pairs", given.pairs, 6));
const notes: string[] = [];
const defaultNames = benchmarks.flatMap((each) => (byNameOnly.includes(each) ? [] : each.names));
const wantedNames = new Set(given.names.length > 0 ? given.names : defaultNames);
const wanted = benchmarks.filter(({ names }) => names.some((name) => wantedNames.has(name)));
const progress = createProgress({ lines: process.stdout, activity: given.json ? null : process.stderr });
/** Benchmarks that have ended. */
let done = 0;
const run: Run = {
  wanted: wantedNames,
  options: {
    seconds: readNumber("seconds", given.seconds, 3),
    rounds: Math.ceil(readNumber("rounds", given.rounds, 5)),
    requests: Math.ceil(readNumber("requests", given.requests, 1_000_000)),
    hours: given.hours === undefined ? null : readNumber("hours", given.hours, 1),
    share: Math.min(1, readNumber("share", given.share, 1)),
  },
  printProgress: (what) => progress.count(done, wanted.length, what),
  note: (text) => void notes.push(text),
};

const end = (code: number) => void endEverything().finally(() => process.exit(code));
process.on("SIGINT", () => end(130));
process.on("SIGTERM", () => end(143));

/** Prints what changed since a commit, for `--compare`. */
async function compareWith(revision: string): Promise<void> {
  const names = [...run.wanted];
  const passedOn = (["seconds", "rounds", "requests"] as const).flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  const changes = await compareWithRevision({
    revision,
    names,
    pairs,
    options: passedOn,
    printProgress: (what) => progress.begin(what),
  });
  progress.end();
  process.stdout.write(
    given.json ? changes.map((change) => `${JSON.stringify(change)}\n`).join("") : `${renderChanges(changes)}\n`,
  );
  end(given.check && changes.some(({ verdict }) => verdict === "worse") ? 1 : 0);
}

/** A failed query names what the database said as its cause. */
const describe = (error: unknown): string =>
  error instanceof Error ? [error.message, ...(error.cause ? [describe(error.cause)] : [])].join(": ") : String(error);

const measures: Measure[] = [];
const printAll = () => {
  if (!given.json) process.stdout.write(`${renderTable(measures)}\n\n${notes.join("\n")}\n`);
};
async function measureAll(): Promise<void> {
  const [load = 0] = loadavg();
  run.note(`machine: ${cpus().length} cores, load average ${load.toFixed(1)} at the start`);
  progress.begin("starts", wanted.length);
  for (const benchmark of wanted) {
    const found = await benchmark.measure(run);
    await endEverything();
    measures.push(...found);
    done += 1;
    if (given.json) for (const measure of found) progress.print(JSON.stringify(measure));
  }
  progress.end();
  printAll();
  end(given.check && measures.some(({ met }) => met === false) ? 1 : 0);
}

try {
  await (given.compare === undefined ? measureAll() : compareWith(given.compare));
} catch (error) {
  progress.end();
  if (measures.length > 0) printAll();
  process.stderr.write(`bench: ${describe(error)}\n`);
  end(1);
}
