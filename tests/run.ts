/**
 * `bun run test [--repeat N] [--busy M] [--changed [--base REV]] [path ...]`: Postgres, bundled programs and compiled contracts for
 * the whole run, then `bun test` with the given arguments, N times in changing order beside M busy loops. `--changed` runs the files that
 * the difference from a revision can reach.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { bundleApps, bundlesVariable } from "./support/bundles.ts";
import { startBusyLoops } from "./support/busy.ts";
import { startTestChain } from "./support/chain.ts";
import { listChanged, listReached, readSources } from "./support/changed.ts";
import { compileTestContracts } from "./support/contracts.ts";
import { findFailures } from "./support/failures.ts";
import { orderFiles } from "./support/fileOrder.ts";
import { serverVariable, startTestServer, templatesVariable } from "./support/postgres.ts";
import { buildOrder, readOptions, renderRows, type RunOptions, summarize } from "./support/repeat.ts";
import { type Run, runTests } from "./support/runTests.ts";

const root = new URL("..", import.meta.url).pathname;
const measured = "tests/timings.json";
/** Files run in parallel, the slowest first; more than there are cores, because a file waits half of its time. */
const sideBySide = [`--parallel=${availableParallelism() + 2}`, "--no-isolate"];
/** Where a run names no files it leaves these out: CI runs them beside, `bun run test tests/long`. */
const withoutLong = "--path-ignore-patterns=tests/long/**";
/** The same seed runs the files in the same orders again. */
const seed = process.env["CARDKEEP_TEST_SEED"] ?? `${Date.now() % 1_000_000}`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** The options, with the files that a change reaches among the rest. */
async function readOptionsOrExit(): Promise<RunOptions> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.base === null) return options;
    const reached = listReached(listChanged(options.base), await readSources());
    write(`${reached.length} test files can be reached by the difference from ${options.base}.`);
    if (reached.length > 0) return { ...options, rest: [...options.rest, ...reached] };
    write("0 passed, 0 failed");
    process.exit(0);
  } catch (error) {
    write(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

const { repeat, busy, rest: given } = await readOptionsOrExit();
const isOption = (word: string | undefined): boolean => word?.startsWith("-") === true;
// A word behind an option is its value.
const namesFiles = given.some((word, index) => !isOption(word) && !isOption(given[index - 1]));
const rest = namesFiles ? given : [withoutLong, ...given];
const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ended.abort(signal));

const readTexts = async (files: readonly string[]): Promise<Map<string, string>> =>
  new Map(await Promise.all(files.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)));

/** Runs the files as often as asked for; a signal ends the run that it meets and begins no other. */
async function runAll(env: Record<string, string>, folder: string): Promise<Run[]> {
  const run = (timings: string) =>
    runTests([...sideBySide, `--timings=${timings}`, ...rest], { env, signal: ended.signal });
  // It writes what it measures to the file that it reads.
  if (repeat === null && rest.includes("--update-timings")) return [await run(measured)];
  const timings = join(folder, "timings.json");
  const writeOrder = (files: Record<string, number>) => Bun.write(timings, JSON.stringify({ version: 1, files }));
  const runs: Run[] = [];
  const files = [...new Bun.Glob("tests/**/*.test.ts").scanSync(root)];
  if (repeat === null) {
    const { files: durations } = (await Bun.file(join(root, measured)).json()) as { files: Record<string, number> };
    await writeOrder(orderFiles(await readTexts(files), durations));
    return [await run(timings)];
  }
  while (runs.length < repeat && !ended.signal.aborted) {
    const order = `${seed}-${runs.length + 1}`;
    await writeOrder(buildOrder(files, order));
    write(`run ${runs.length + 1} of ${repeat}, CARDKEEP_TEST_SEED=${seed}, ${busy} busy loops`);
    runs.push(await run(timings));
  }
  return runs;
}

function report(runs: readonly Run[]): number {
  // Repeated at the end, because some tools show only the end of a run.
  for (const { said } of runs) for (const failure of findFailures(said)) write(`\n${failure}`);
  if (repeat !== null) write(`\n${renderRows(summarize(runs.flatMap(({ results }) => results)))}\n`);
  for (const [index, { code, failed, results }] of runs.entries())
    if (repeat !== null && failed > 0 && results.every(({ isGood }) => isGood))
      write(`Run ${index + 1} ended with exit code ${code} outside of its tests. See its output above.`);
  const failed = runs.reduce((sum, run) => sum + run.failed, 0);
  write(`${runs.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failed} failed`);
  return failed === 0 && runs.length > 0 && !ended.signal.aborted ? 0 : runs.find(({ code }) => code !== 0)?.code || 1;
}

const [server, bundles, chain] = await Promise.all([
  startTestServer(),
  bundleApps(),
  startTestChain(),
  compileTestContracts(),
]);
await chain.stop();
let code = 1;
/** For the files of the tests, which a test that fails or is killed leaves behind. */
const folder = await mkdtemp(join(tmpdir(), "cardkeep-test-"));
// Under root, Postgres runs as another user.
await chmod(folder, 0o755);
const load = startBusyLoops(busy);
try {
  const env = {
    [serverVariable]: server.url,
    [templatesVariable]: server.templates,
    [bundlesVariable]: bundles.folder,
    TMPDIR: folder,
  };
  code = report(await runAll(env, folder));
} finally {
  await Promise.all([server.stop(), bundles.remove(), load.stop(), rm(folder, { recursive: true, force: true })]);
}
process.exit(code);
