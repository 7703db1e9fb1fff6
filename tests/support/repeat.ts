/** Test files run many times, in another order each time: which tests failed, how often and why. */
import type { TestResult } from "./failures.ts";

/** What `bun run test` was asked for; the rest are arguments of `bun test`. */
export interface RunOptions {
  /** Null without `--repeat`: one run in the usual order, without a table. */
  repeat: number | null;
  busy: number;
  /** The revision whose difference chooses the files; null without `--changed`. */
  base: string | null;
  rest: string[];
}

/**
 * Reads `--repeat N`, `--busy M`, and `--changed` with its `--base REV`.
 * @throws Error for a value that is no such number, and for `--base` without a revision or without `--changed`
 */
export function readOptions(given: readonly string[]): RunOptions {
  const rest = [...given];
  const take = (name: string, least: number): number | null => {
    const at = rest.indexOf(name);
    if (at === -1) return null;
    const [, text = ""] = rest.splice(at, 2);
    const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
    if (value < least) throw new Error(`${name} needs a number from ${least} to 9999, not "${text}".`);
    return value;
  };
  return { repeat: take("--repeat", 1), busy: take("--busy", 0) ?? 0, base: takeBase(rest), rest };
}

/** Takes `--changed` and `--base REV` out of the arguments. Without a revision the last commit is compared with. */
function takeBase(rest: string[]): string | null {
  const [changedAt, baseAt] = [rest.indexOf("--changed"), rest.indexOf("--base")];
  if (changedAt === -1 && baseAt === -1) return null;
  if (changedAt === -1) throw new Error("--base goes with --changed.");
  const revision = baseAt === -1 ? "HEAD" : rest[baseAt + 1];
  if (revision === undefined || revision.startsWith("-")) throw new Error("--base needs a revision, for example main.");
  if (baseAt !== -1) rest.splice(baseAt, 2);
  rest.splice(rest.indexOf("--changed"), 1);
  return revision;
}

/** Durations as the runner reads them, made up from a seed: it starts the slowest file first, so they are an order. */
export function buildOrder(files: readonly string[], seed: string): Record<string, number> {
  const rank = (file: string): number => Number(Bun.hash(`${seed} ${file}`) % 1_000_000n);
  return Object.fromEntries(files.map((file) => [file, 1 + rank(file)]));
}

interface Row {
  test: string;
  runs: number;
  failures: number;
  error: string;
  median: number;
  slowest: number;
}

/** One row per test, those that failed last: the end of an output is what is seen. */
export function summarize(results: readonly TestResult[]): Row[] {
  const rows = [...Map.groupBy(results, ({ file, name }) => `${file} > ${name}`)].map(([test, runs]) => {
    const seconds = runs.map((run) => run.seconds).toSorted((a, b) => a - b);
    const failed = runs.filter(({ isGood }) => !isGood);
    return {
      test,
      runs: runs.length,
      failures: failed.length,
      error: failed[0] === undefined ? "" : findError(failed[0]),
      median: seconds[Math.floor((seconds.length - 1) / 2)] ?? 0,
      slowest: seconds.at(-1) ?? 0,
    };
  });
  return rows.toSorted((a, b) => a.failures - b.failures || a.slowest - b.slowest);
}

const findError = ({ reason }: TestResult): string =>
  reason.find((line) => /^(\w*error|\(?timeout|.*timed out)/i.test(line)) ??
  reason.findLast((line) => line.trim() !== "") ??
  "no reason was printed";

const textMax = 140;
const cut = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax - 1)}…` : text);
const heads = ["test", "runs", "failures", "median", "slowest", "first error"];

/** The table at the end of repeated runs, for people. */
export function renderRows(rows: readonly Row[]): string {
  const cells = rows.map(({ test, runs, failures, error, median, slowest }) => [
    cut(test),
    `${runs}`,
    `${failures}`,
    `${median.toFixed(2)} s`,
    `${slowest.toFixed(2)} s`,
    cut(error),
  ]);
  const table = [heads, ...cells];
  const widths = heads.map((_, column) => Math.max(...table.map((row) => (row[column] ?? "").length)));
  const isText = (column: number) => column === 0 || column === heads.length - 1;
  const pad = (cell: string, column: number): string =>
    isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return table.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
