/**
 * `bun run test:mutants [path]`: puts each mutant into a copy of the checkout, and runs the tests that have to fail with it.
 * It fails if a mutant survives. A path is a part of the name of a mutated file or of a test file.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { serverVariable, startTestServer } from "../support/postgres.ts";
import { startTestChain } from "../support/chain.ts";
import { compileTestContracts } from "../support/contracts.ts";
import { copyCheckout } from "./copy.ts";
import { type Mutant, mutate } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { runKillers } from "./runKillers.ts";

const [path = ""] = process.argv.slice(2);
const chosen = mutants.filter(({ file, killedBy }) => [file, ...killedBy].some((name) => name.includes(path)));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
if (chosen.length === 0) {
  say(`No mutant names "${path}" in its file or its tests. tests/mutants has the tables.`);
  process.exit(1);
}

/** Mutants of the same tests follow each other, so that these run once without a mutant. */
const groups = [...Map.groupBy(chosen, ({ killedBy }) => killedBy.join(" ")).values()];
const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ended.abort(signal));
const faults: string[] = [];
let killed = 0;

const secondsSince = (at: number): string => `${((performance.now() - at) / 1000).toFixed(1)} s`;

/** Tests that fail without a mutant would kill every mutant, so they prove nothing. */
async function playGroup(folder: string, group: readonly Mutant[], env: Record<string, string>): Promise<void> {
  const [{ killedBy } = { killedBy: [] }] = group;
  const run = () => runKillers(folder, killedBy, { env, signal: ended.signal });
  const unchanged = await run();
  if (unchanged.isKilled || !unchanged.begun) {
    faults.push(`${killedBy.join(" ")} failed without a mutant:\n${unchanged.said}`);
    say(`FAILED   ${killedBy.join(" ")} without a mutant`);
    return;
  }
  for (const mutant of group) {
    if (ended.signal.aborted) return;
    const startedAt = performance.now();
    const file = join(folder, mutant.file);
    const text = await Bun.file(file).text();
    await Bun.write(file, mutate(text, mutant));
    const { isKilled, begun } = await run();
    await Bun.write(file, text);
    if (isKilled) killed++;
    else if (!begun) faults.push(`not judged: ${mutant.breaks} (${mutant.file}): the tests did not begin in time`);
    else faults.push(`survived: ${mutant.breaks} (${mutant.file}), which ${killedBy.join(" ")} should notice`);
    say(
      `${isKilled ? "killed  " : begun ? "SURVIVED" : "UNKNOWN "} ${mutant.breaks} (${mutant.file})  ${secondsSince(startedAt)}`,
    );
  }
}

const folder = await mkdtemp(join(tmpdir(), "cardkeep-mutants-"));
const [server, chain] = await Promise.all([startTestServer(), startTestChain(), compileTestContracts()]);
await chain.stop();
try {
  // Each has a copy of its own.
  const waiting = [...groups];
  const play = async (copy: string) => {
    await copyCheckout(copy);
    for (let group = waiting.shift(); group && !ended.signal.aborted; group = waiting.shift())
      await playGroup(copy, group, { [serverVariable]: server.url });
  };
  await Promise.all(Array.from({ length: availableParallelism() }, (_, copy) => play(join(folder, `${copy}`))));
} finally {
  await Promise.all([server.stop(), rm(folder, { recursive: true, force: true })]);
}
for (const fault of faults) say(`\n${fault}`);
say(`${killed} of ${chosen.length} mutants killed`);
process.exit(killed === chosen.length ? 0 : 1);
