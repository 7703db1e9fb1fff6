/**
 * `bun run simulate --seed N [--days D] [--people P] [--json]`: plays a whole installation by one seed, and says what broke.
 * The same seed plays the same run, to the byte.
 */
import { endEverything } from "../support/ends.ts";
import { installEntropy } from "./entropy.ts";
import { hasNativeWork, watchNativeWork } from "./native.ts";
import { type Plan, readOptions, usage } from "./options.ts";
import { findMutant } from "./planted.ts";
import { probes } from "./probes.ts";
import { installSeams } from "./seams.ts";
import { createTrace } from "./trace.ts";

/** Of this installation, where the sandbox console looks for runs. */
const folder = `${process.env["CARDKEEP_HOME"] ?? ".cardkeep"}/simulations`;

/** Says how a run that broke is played again: alone, also after a change of what a seed plays by default. */
async function saveReplay(given: Plan, known: string | null): Promise<void> {
  const path = `${folder}/${given.seed}.json`;
  await Bun.write(path, `${JSON.stringify({ ...given, ...(known !== null && { digest: known }) })}\n`);
  process.stderr.write(`Play it again: bun run simulate --story --replay ${path}\n`);
}

/** The smallest plan that breaks as this one did. Its parts are of the program, so they are loaded after it was played. */
async function shrinkApart(said: string): Promise<Plan> {
  const { shrinkInChildren } = await import("./shrinkInChildren.ts");
  return shrinkInChildren({ plan, happened: ended, said, mutant: options.mutant });
}

const listReached = () => [...reached].map(([fault, step]) => ({ fault, step }));

const options = await readOptions(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exit(2);
});
const { plan } = options;
const fetchReally = globalThis.fetch.bind(globalThis);
// Before the first module of the program is loaded.
installSeams(options.mutant === null ? null : findMutant(options.mutant), probes);
installEntropy();
watchNativeWork();
const { simulate } = await import("./simulation.ts");
const file = options.traceFile === null ? null : Bun.file(options.traceFile).writer();
const runFile = Bun.file(`${folder}/${plan.seed}.run.jsonl`);
// Makes the folder.
if (options.isWatched) await Bun.write(runFile, "");
const watched = options.isWatched ? runFile.writer() : null;
const recordLine = (line: object): void => void watched?.write(`${JSON.stringify(line)}\n`);
if (options.isWatched) {
  const desk = `http://localhost:${process.env["SANDBOX_PORT"] ?? 3001}/?desk=simulation&run=${plan.seed}`;
  process.stderr.write(`Watch it beside a running \`bun start\`: ${desk}\n`);
}
const trace = createTrace((line) => {
  void file?.write(`${line}\n`);
  if (options.isStory && line.startsWith("* ")) process.stdout.write(`${line.slice(2)}\n`);
}, recordLine);
/** The planted faults that would have acted otherwise, with the step at which each first would. */
const reached = new Map<string, number>();
globalThis.noteFault = (fault) => void (reached.has(fault) || reached.set(fault, trace.steps));
const ended = await simulate(plan, { trace, isSpoiled: options.isSpoiled, fetchReally, hasNativeWork });
await file?.end();
recordLine({ digest: ended.digest, broken: ended.broken });
await watched?.end();
const { digest, steps } = ended;
const broken = [...ended.broken];
if (options.expected !== null && options.expected !== digest)
  broken.push(`the digest is ${digest}, and was ${options.expected}`);
const isOk = broken.length === 0;
if (!isOk && options.expected === null) {
  const smaller = options.isShrunk ? await shrinkApart(broken[0] ?? "") : plan;
  await saveReplay(smaller, smaller === plan ? digest : null);
}
if (options.isJson) {
  const { seed, days } = plan;
  process.stdout.write(
    `${JSON.stringify({ acts: ended.acts, faults: ended.faults, reached: listReached() })}\n${ended.acts.length} acts, ${ended.callbacks} callbacks\n${JSON.stringify({ seed, digest, steps, days, ok: isOk, broken })}\n`,
  );
} else {
  for (const each of broken) process.stdout.write(`broken: ${each}\n`);
  process.stdout.write(
    `seed ${plan.seed}: ${ended.acts.length} acts, ${ended.faults.length} faults, ${steps} steps, digest ${digest}: ${isOk ? "all holds" : "broken"}\n`,
  );
}
await endEverything();
process.exit(isOk ? 0 : 1);
