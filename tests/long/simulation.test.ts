import { listRuns, readRun } from "@cardkeep/sandbox/console/simulation/readRun";
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { givenSeed } from "../support/seed.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "simulation-"));
afterAll(() => rm(folder, { recursive: true }));

/** As far as the deployment of a Safe. Whole runs, with faults and the final comparison, are played each night: each takes ten times as long. */
const steps = 800;
const smallest = ["--days", "1", "--people", "1", "--rounds", "1", "--until", String(steps), "--json"];

/** Fresh seeds are played each night, so that no change fails by the fault of another one. */
const seed = givenSeed ?? 42;

/** Plays the smallest run, and answers its last line and its trace. */
async function play(name: string, ...more: string[]) {
  const trace = join(folder, name);
  const options = ["--seed", String(seed), "--trace", trace, ...smallest, ...more];
  const env = { ...process.env, CARDKEEP_HOME: folder };
  const command = [process.execPath, "tests/simulate/main.ts", ...options];
  const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" });
  const [said, complained, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, complained, last: said.trim().split("\n").at(-1) ?? "", trace: await Bun.file(trace).text() };
}

test("one seed plays the same run twice, to the byte, and nothing breaks", async () => {
  const [first, again] = await Promise.all([play("first"), play("again", "--watch")]);
  expect({ code: first.code, complained: first.complained }).toEqual({ code: 0, complained: "" });
  const { digest, ...last } = JSON.parse(first.last);
  expect(last).toEqual({ seed, steps, days: 1, ok: true, broken: [] });
  expect(digest).toMatch(/^[0-9a-f]{32}$/);
  expect(again.last).toBe(first.last);
  expect(again.trace === first.trace).toBe(true);
  // The console reads each message of the run that was watched.
  expect(await listRuns(folder)).toEqual([String(seed)]);
  const run = await readRun(folder, String(seed));
  expect(run?.messages.map(({ step }) => step)).toEqual(Array.from({ length: steps }, (_, index) => index + 1));
  expect(run?.end).toEqual({ digest, broken: [] });
}, 300_000);
