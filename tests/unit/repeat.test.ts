import { expect, test } from "bun:test";
import { listReached, readSources } from "../support/changed.ts";
import { readResults } from "../support/failures.ts";
import { orderFiles } from "../support/fileOrder.ts";
import { until } from "../support/poll.ts";
import { buildOrder, readOptions, renderRows, summarize } from "../support/repeat.ts";

test("the runner takes its own options anywhere, and leaves the others to bun test", () => {
  expect(readOptions(["tests/unit"])).toEqual({
    repeat: null,
    busy: 0,
    base: null,
    rest: ["tests/unit"],
  });
  expect(readOptions(["a.test.ts", "--busy", "12", "-t", "one", "--repeat", "50"])).toEqual({
    repeat: 50,
    busy: 12,
    base: null,
    rest: ["a.test.ts", "-t", "one"],
  });
  for (const wrong of ["0", "-1", "1.5", "tests/unit", ""])
    expect(() => readOptions(["--repeat", wrong])).toThrow(`--repeat needs a number from 1 to 9999, not "${wrong}".`);
  expect(() => readOptions(["tests/unit", "--busy"])).toThrow('--busy needs a number from 0 to 9999, not "".');
});

test("a change is compared with the last commit, or with the revision that is named", () => {
  expect(readOptions(["--changed"])).toMatchObject({ base: "HEAD", rest: [] });
  expect(readOptions(["-t", "one", "--base", "main", "--changed"])).toMatchObject({
    base: "main",
    rest: ["-t", "one"],
  });
  expect(() => readOptions(["--base", "main"])).toThrow("--base goes with --changed.");
  for (const wrong of [
    ["--changed", "--base"],
    ["--base", "--changed"],
  ])
    expect(() => readOptions(wrong)).toThrow("--base needs a revision, for example main.");
});

test("a change reaches the tests that import it, name it, or start a program that imports it", () => {
  const sources = new Map([
    ["packages/db/src/client.ts", ""],
    ["packages/db/src/lone.ts", ""],
    ["packages/domain/src/verb.ts", 'import { db } from "@cardkeep/db/client";'],
    ["apps/server/src/main.ts", 'import { verb } from "@cardkeep/domain/verb";'],
    ["tests/support/bundles.ts", ""],
    ["tests/support/start.ts", 'import { bundle } from "./bundles.ts";'],
    ["tests/api/a.test.ts", 'import { start } from "../support/start.ts";'],
    ["tests/unit/b.test.ts", 'const path = new URL("../../packages/domain/src/verb.ts", import.meta.url);'],
    ["tests/contract/c.test.ts", ""],
  ]);
  const all = ["tests/api/a.test.ts", "tests/contract/c.test.ts", "tests/unit/b.test.ts"];
  expect(listReached(["packages/db/src/client.ts"], sources)).toEqual(["tests/api/a.test.ts", "tests/unit/b.test.ts"]);
  expect(listReached(["tests/support/bundles.ts"], sources)).toEqual(["tests/api/a.test.ts"]);
  expect(listReached(["tests/unit/b.test.ts"], sources)).toEqual(["tests/unit/b.test.ts"]);
  expect(listReached(["README.md"], sources)).toEqual(["tests/contract/c.test.ts"]);
  expect(listReached([], sources)).toEqual([]);
  for (const unnamed of ["drizzle/0002_more.sql", "packages/db/src/lone.ts"])
    expect(listReached([unnamed], sources)).toEqual(all);
});

test("a document reaches the documents' tests, and a deep file more than a leaf", async () => {
  const sources = await readSources();
  const count = (path: string) => listReached([path], sources).length;
  expect(count("packages/terminal/src/colors.ts")).toBeGreaterThan(3);
  expect(count("packages/terminal/src/colors.ts")).toBeLessThan(count("packages/db/src/client.ts"));
});

test("files run in an order that changes with the seed, and is the same for the same seed", () => {
  const files = Array.from({ length: 50 }, (_, index) => `tests/${index}.test.ts`);
  const orderOf = (seed: string) => Object.entries(buildOrder(files, seed)).toSorted(([, a], [, b]) => b - a);
  expect(orderOf("1")).toHaveLength(files.length);
  expect(orderOf("1")).toEqual(orderOf("1"));
  expect(orderOf("1")).not.toEqual(orderOf("2"));
});

test("files that share a service come last, each kind the slowest first, new ones last of their kind", () => {
  const sources = new Map([
    ["shared-new", 'import { shareService } from "../support/shareService.ts";'],
    ["shared-slow", 'import { shareService } from "../support/shareService.ts";'],
    ["new", "startService()"],
    ["quick", ""],
    ["slow", "startService()"],
  ]);
  const order = orderFiles(sources, { "shared-slow": 60_000, quick: 40, slow: 5_000, removed: 7 });
  expect(Object.keys(order).toSorted((a, b) => (order[b] ?? 0) - (order[a] ?? 0))).toEqual([
    "slow",
    "quick",
    "new",
    "shared-slow",
    "shared-new",
  ]);
});

test("the table counts runs and failures of each test, with median, slowest and first error, failed ones last", () => {
  const ends = ["(pass) slow [1.50s]", "(fail) slow [2.00s]", "(pass) slow [0.50s]", "(fail) slow [1.00s]"];
  const runs = ends.map((line, run) =>
    [
      "tests/a.test.ts:",
      "(pass) quick [2.00ms]",
      "warning: a line of the program",
      `error: expect(${run}).toBe(5)`,
      line,
      "tests/b.test.ts:",
      "(pass) quick",
    ].join("\n"),
  );
  const rows = summarize(runs.flatMap((said) => readResults(said)));
  expect(rows).toEqual([
    { test: "tests/b.test.ts > quick", runs: 4, failures: 0, error: "", median: 0, slowest: 0 },
    { test: "tests/a.test.ts > quick", runs: 4, failures: 0, error: "", median: 0.002, slowest: 0.002 },
    { test: "tests/a.test.ts > slow", runs: 4, failures: 2, error: "error: expect(1).toBe(5)", median: 1, slowest: 2 },
  ]);
  expect(renderRows(rows).split("\n").at(-1)).toBe(
    "tests/a.test.ts > slow      4         2  1.00 s   2.00 s  error: expect(1).toBe(5)",
  );
});

test("busy loops end with the run, also with one that was killed", async () => {
  const busy = new URL("../support/busy.ts", import.meta.url).href;
  const script = `const { startBusyLoops } = await import("${busy}");
    console.log(startBusyLoops(2).pids.join(" "));
    setInterval(() => {}, 1000);`;
  const run = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const said = await run.stdout.getReader().read();
  const pids = new TextDecoder().decode(said.value).trim().split(" ").map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.map(isAlive)).toEqual([true, true]);
  run.kill("SIGKILL");
  await run.exited;
  await until(() => !pids.some(isAlive));
});

/** A process that ended and that its new parent has not read yet (a zombie) still has a pid. */
function isAlive(pid: number): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]);
  const state = stdout.toString().trim();
  return state !== "" && !state.startsWith("Z");
}
