/** The output of `bun test` about each failed test or hook: its file, its reason and its name. */

const linesOfReasonMax = 60;

/** Extracts the failures from the runner's output, in order; its own list at the end has no reasons and is left out. */
export function findFailures(said: string): string[] {
  const failures: string[] = [];
  let file = "";
  let since: string[] = [];
  for (const line of Bun.stripANSI(said).split("\n")) {
    if (/^\d+ tests? failed:$/.test(line)) break;
    const isFile = /^tests\/\S+:$/.test(line);
    if (isFile) file = line;
    if (line.startsWith("(fail)")) failures.push([file, ...since.slice(-linesOfReasonMax), line].join("\n"));
    if (isFile || /^\((pass|fail|skip|todo)\)/.test(line)) since = [];
    else since.push(line);
  }
  return failures;
}
