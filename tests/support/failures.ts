/** The output of `bun test` about each test or hook: its file, its name, how long it took, and why it failed. */

const linesOfReasonMax = 60;

/** How one test or hook of a run ended. */
export interface TestResult {
  file: string;
  name: string;
  isGood: boolean;
  seconds: number;
  /** What was printed since the test before. */
  reason: string[];
  /** The runner's own line about it. */
  line: string;
}

const secondsPer: Readonly<Record<string, number>> = { ms: 1e-3, s: 1 };

/** Reads the results from the runner's output, in order; its own list at the end has no reasons and is left out. */
export function readResults(said: string): TestResult[] {
  const results: TestResult[] = [];
  let file = "";
  let since: string[] = [];
  for (const line of Bun.stripANSI(said).split("\n")) {
    if (/^\d+ tests? failed:$/.test(line)) break;
    const [isFile, path] = /^(tests\/\S+):$/.exec(line) ?? [];
    if (path !== undefined) file = path;
    const [, verdict, name = "", time, unit = ""] = /^\((pass|fail)\) (.*?)(?: \[([\d.]+)(m?s)\])?$/.exec(line) ?? [];
    if (verdict !== undefined) {
      const seconds = Number(time ?? 0) * (secondsPer[unit] ?? 0);
      results.push({ file, name, isGood: verdict === "pass", seconds, reason: since.slice(-linesOfReasonMax), line });
    }
    if (isFile || verdict !== undefined || /^\((skip|todo)\)/.test(line)) since = [];
    else since.push(line);
  }
  return results;
}

/** Extracts the failures from the runner's output, each with its file and its reason. */
export const findFailures = (said: string): string[] =>
  readResults(said).flatMap(({ isGood, file, reason, line }) =>
    isGood ? [] : [[...(file === "" ? [""] : [`${file}:`]), ...reason, line].join("\n")],
  );
