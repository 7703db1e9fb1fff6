/** The processes of a running program and what each holds, from `/proc`. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readStat } from "../processorTime.ts";

export type PartName = "server" | "worker" | "sandbox" | "supervisor" | "node" | "postgres" | "other";

export interface Process {
  readonly pid: number;
  readonly part: PartName;
  /** Resident memory. Memory that processes share counts for each of them. */
  readonly residentMb: number;
  /** Proportional set size: memory that processes share is divided among them, so a sum over processes is exact. */
  readonly proportionalMb: number;
  /** User and system time since its start. */
  readonly processorMs: number;
  /** Open handles by kind, such as `socket` or `file`. */
  readonly handles: Readonly<Record<string, number>>;
}

/** The parts by what their command lines hold; the first match counts. */
const marks: readonly (readonly [string, PartName])[] = [
  ["apps/server/src/main", "server"],
  ["apps/worker/src/main", "worker"],
  ["apps/sandbox/src/main", "sandbox"],
  ["apps/local/src/main", "supervisor"],
  ["anvil", "node"],
  ["postgres", "postgres"],
];

/** A process and all its descendants. A process that ends meanwhile is left out. */
export function readFamily(root: number): Process[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? readStat(Number(name))?.parent : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: Process[] = [];
  const visit = (pid: number): void => {
    const process = readProcess(pid);
    if (process !== null) found.push(process);
    for (const child of children.get(pid) ?? []) visit(child);
  };
  visit(root);
  return found;
}

function readProcess(pid: number): Process | null {
  const [stat, memory, command] = [readStat(pid), read(`/proc/${pid}/smaps_rollup`), read(`/proc/${pid}/cmdline`)];
  if (stat === null || !memory || command === null) return null;
  const readMb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(memory)?.[1] ?? 0) / 1024;
  return {
    pid,
    part: marks.find(([mark]) => command.includes(mark))?.[1] ?? "other",
    residentMb: readMb("Rss"),
    proportionalMb: readMb("Pss"),
    processorMs: stat.ms,
    handles: countHandles(pid),
  };
}

function countHandles(pid: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of list(`/proc/${pid}/fd`)) {
    const target = readLink(`/proc/${pid}/fd/${name}`);
    if (target === null) continue;
    const kind =
      /^(socket|pipe|anon_inode:\[?\w+)/.exec(target)?.[1]?.replace("anon_inode:", "").replace("[", "") ?? "file";
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Null for a process that has ended. */
const orNull = <T>(get: () => T): T | null => {
  try {
    return get();
  } catch {
    return null;
  }
};
const read = (path: string): string | null => orNull(() => readFileSync(path, "latin1"));
const readLink = (path: string): string | null => orNull(() => readlinkSync(path));
const list = (path: string): string[] => orNull(() => readdirSync(path)) ?? [];
