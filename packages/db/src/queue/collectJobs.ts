/**
 * The jobs of a commit. They are collected while it writes its rows, and written as its last statements in the order of their
 * keys: two commits that add the same jobs wait for each other, and never in a circle.
 */
import { SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import type { Task } from "./catalogue.ts";

/**
 * What becomes of a job of the same key.
 *
 * - `moves`: it gets the new time and payload, and all its attempts.
 * - `keepsTime`: the same, at its own time if it waits.
 * - `stays`: nothing is added, also where it was given up.
 */
export type Encounter = "moves" | "keepsTime" | "stays";

/** A job to be added. */
export interface AddedJob {
  task: Task;
  key: string;
  subject: string;
  payload: Readonly<Record<string, unknown>>;
  delayMs: number;
  /** It runs once no other job of its pool waits. */
  isLast: boolean;
  known: Encounter;
}

/** Subjects of jobs, or a query that selects them as `subject`, and the request that their jobs go back to. */
export interface SelectedJobs {
  subjects: SQL | readonly string[];
  requestId: string;
}

type Change = { kind: "add"; job: AddedJob } | { kind: "remove"; task: Task; key: string };

interface Collected {
  changes: Map<string, Change>;
  selected: { task: Task; jobs: SelectedJobs }[];
}

/** The statements of the queue that write what was collected. */
export interface JobWriter {
  add(on: Executor, jobs: readonly AddedJob[]): Promise<void>;
  remove(on: Executor, key: string): Promise<void>;
  /** Answers whether there was any. It does not notify. */
  addSelected(on: Executor, task: Task, jobs: SelectedJobs): Promise<boolean>;
}

const collections = new WeakMap<Executor, Collected>();

/**
 * Collects the changes of jobs of a transaction from now on. The returned function writes them, and answers whether it added
 * jobs without a notification. Nothing of the transaction may follow it.
 */
export function collectJobs(tx: Tx, writer: JobWriter): () => Promise<boolean> {
  const collected: Collected = { changes: new Map(), selected: [] };
  collections.set(tx, collected);
  return () => {
    collections.delete(tx);
    return write(tx, collected, writer);
  };
}

/** Collects jobs to be added; false where nothing is collected for this executor. */
export function collectAdded(on: Executor, jobs: readonly AddedJob[]): boolean {
  const collected = collections.get(on);
  for (const job of collected ? jobs : []) {
    const before = collected?.changes.get(job.key);
    collected?.changes.set(job.key, { kind: "add", job: merge(before, job) });
  }
  return collected !== undefined;
}

/** One job in the place of two that were added one after the other, or of one that was added after it was removed. */
function merge(before: Change | undefined, job: AddedJob): AddedJob {
  if (before === undefined || job.known === "moves") return job;
  if (before.kind === "remove") return job.known === "stays" ? { ...job, known: "moves" } : job;
  return job.known === "stays" ? before.job : { ...job, delayMs: before.job.delayMs, known: before.job.known };
}

/** Collects a waiting job to be removed; false where nothing is collected for this executor. */
export function collectRemoved(on: Executor, task: Task, key: string): boolean {
  const collected = collections.get(on);
  collected?.changes.set(key, { kind: "remove", task, key });
  return collected !== undefined;
}

/** Collects jobs that need no notification; false where nothing is collected for this executor. */
export function collectSelected(on: Executor, task: Task, jobs: SelectedJobs): boolean {
  return collections.get(on)?.selected.push({ task, jobs }) !== undefined;
}

async function write(tx: Tx, { changes, selected }: Collected, writer: JobWriter): Promise<boolean> {
  let hasQuiet = false;
  const sorted = [...changes.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const byTask = Map.groupBy(selected, ({ task }) => task);
  // Jobs of a task have keys with the same beginning, so their order is that of the tasks too.
  for (const task of [...new Set([...byTask.keys(), ...sorted.map(taskOf)])].toSorted()) {
    for (const jobs of unite((byTask.get(task) ?? []).map((each) => each.jobs)))
      hasQuiet = (await writer.addSelected(tx, task, jobs)) || hasQuiet;
    for (const run of splitRuns(sorted.filter((change) => taskOf(change) === task))) await writeRun(tx, run, writer);
  }
  return hasQuiet;
}

const keyOf = (change: Change): string => (change.kind === "add" ? change.job.key : change.key);
const taskOf = (change: Change): Task => (change.kind === "add" ? change.job.task : change.task);

/** Selections of one task as one, so that its statement writes all of their jobs in the order of their keys. */
function unite(selections: readonly SelectedJobs[]): SelectedJobs[] {
  const [first, ...others] = selections;
  if (first === undefined || others.length === 0) return [...selections];
  const queries = selections.map(({ subjects }) => sql`select subject from (${selectSubjects(subjects)}) selection`);
  return [{ ...first, subjects: sql.join(queries, sql` union `) }];
}

/** A query of subjects. */
export const selectSubjects = (subjects: SelectedJobs["subjects"]): SQL =>
  subjects instanceof SQL
    ? subjects
    : sql`select json_array_elements_text(${JSON.stringify(subjects)}::json) as subject`;

/** Changes that one statement writes. */
function splitRuns(changes: readonly Change[]): Change[][] {
  const runs: Change[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run?.[0] && isAlike(run[0], change)) run.push(change);
    else runs.push([change]);
  }
  return runs;
}

const isAlike = (a: Change, b: Change): boolean => a.kind === "add" && b.kind === "add" && a.job.known === b.job.known;

async function writeRun(tx: Tx, run: readonly Change[], writer: JobWriter): Promise<void> {
  const added = run.flatMap((change) => (change.kind === "add" ? [change.job] : []));
  if (added.length > 0) return writer.add(tx, added);
  for (const change of run) await writer.remove(tx, keyOf(change));
}
