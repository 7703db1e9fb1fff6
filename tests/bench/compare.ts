/**
 * `bun run bench --compare REV`: this tree against another commit, in turns.
 *
 * Each tree runs its own benchmarks in a process of its own, so both have the server, the client and the load that
 * belong together. Pairs change their order, so that a machine that becomes busier hits both alike.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../support/ends.ts";
import { type Change, type Comparable, describeChange, listComparable } from "./change.ts";
import type { Measure } from "./measure.ts";

const root = new URL("../..", import.meta.url).pathname;

export interface ComparisonPlan {
  /** Anything that names a commit to git. */
  readonly revision: string;
  /** Benchmarks to run; both trees must know them. */
  readonly names: readonly string[];
  readonly pairs: number;
  /** Passed on to each run, such as `--seconds 3`. */
  readonly options: readonly string[];
  printProgress(what: string): void;
}

/**
 * The change of every figure that both trees measure.
 *
 * @throws Error if git does not know the commit, or if a run fails
 */
export async function compareWithRevision(plan: ComparisonPlan): Promise<Change[]> {
  const { revision, pairs, printProgress } = plan;
  printProgress(`checking out ${revision}`);
  const before = await checkOut(revision);
  const runs: { before: Comparable[]; after: Comparable[] }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    printProgress(`pair ${pair + 1} of ${pairs}`);
    const run = { before: [] as Comparable[], after: [] as Comparable[] };
    const sides = [
      async () => void (run.before = await runBenchmarks(before, plan)),
      async () => void (run.after = await runBenchmarks(root, plan)),
    ];
    for (const side of pair % 2 === 0 ? sides : sides.toReversed()) await side();
    runs.push(run);
  }
  const [first] = runs;
  return (first?.after ?? []).flatMap(({ name, unit }) => {
    const find = (side: readonly Comparable[]) => side.find((each) => each.name === name)?.value;
    const values = runs.flatMap((run) => {
      const [old, now] = [find(run.before), find(run.after)];
      return old === undefined || now === undefined ? [] : [{ before: old, after: now }];
    });
    return values.length === 0 ? [] : [describeChange(name, unit, values)];
  });
}

/** A working tree of the commit with its own packages; it is removed in the end. */
async function checkOut(revision: string): Promise<string> {
  const commit = await runCommand(["git", "rev-parse", "--verify", "--quiet", `${revision}^{commit}`], root).catch(
    () => {
      throw new Error(`git knows no commit ${revision}`);
    },
  );
  const folder = join(await mkdtemp(join(tmpdir(), "cardkeep-compare-")), "tree");
  await runCommand(["git", "worktree", "add", "--detach", folder, commit.trim()], root);
  atEnd(async () => void (await runCommand(["git", "worktree", "remove", "--force", folder], root)));
  await runCommand([process.execPath, "install", "--frozen-lockfile"], folder);
  return folder;
}

async function runBenchmarks(folder: string, { names, options }: ComparisonPlan): Promise<Comparable[]> {
  const lines = await runCommand([process.execPath, "tests/bench/main.ts", ...names, "--json", ...options], folder);
  return lines
    .trim()
    .split("\n")
    .flatMap((line) => listComparable(JSON.parse(line) as Measure));
}

/** What the command prints. */
async function runCommand(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const stop = () => child.kill();
  atEnd(async () => stop());
  const [printed, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(" ")} in ${cwd} exited with ${code}: ${errors.trim()}`);
  return printed;
}
