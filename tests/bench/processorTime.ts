/** Processor time of a server and of all processes of its Postgres, user and system together, as /proc has it. */
import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";

/** In milliseconds. */
export interface ProcessorTime {
  readonly server: number;
  readonly postgres: number;
}

/** Reads what both have used since they started. */
export type ProcessorClock = () => ProcessorTime;

/** `/proc` counts in hundredths of a second on every architecture that Bun runs on. */
const msPerTick = 10;

interface Stat {
  readonly name: string;
  readonly parent: number;
  readonly ms: number;
  /** The same of its children that have ended. */
  readonly endedChildrenMs: number;
}

/** Null where there is no such process. */
export function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const nameEnd = text.lastIndexOf(")");
    const [, parent, ...rest] = text.slice(nameEnd + 2).split(" ");
    // Fields 14 to 17 of proc(5): utime, stime, cutime, cstime.
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = rest.slice(9, 13).map(Number);
    return {
      name: text.slice(text.indexOf("(") + 1, nameEnd),
      parent: Number(parent),
      ms: (user + system) * msPerTick,
      endedChildrenMs: (childrenUser + childrenSystem) * msPerTick,
    };
  } catch {
    return null;
  }
}

/** The clock of a Postgres, whose processes are all children of one. Null where it runs elsewhere or without /proc. */
export async function findPostgresClock(databaseUrl: string): Promise<(() => number) | null> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  // The process of the connection ends with it.
  const backend = await client<{ pid: number }[]>`select pg_backend_pid() as pid`
    .then(([row]) => row && readStat(row.pid))
    .finally(() => client.end());
  if (!backend?.name.startsWith("postgres")) return null;
  const { parent } = backend;
  return () => {
    const children = readdirSync("/proc").flatMap((name) => {
      const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null;
      return stat?.parent === parent ? [stat.ms] : [];
    });
    const { ms = 0, endedChildrenMs = 0 } = readStat(parent) ?? {};
    return ms + endedChildrenMs + children.reduce((sum, each) => sum + each, 0);
  };
}

/** Both clocks together. */
export const joinClocks = (pid: number, readPostgres: () => number): ProcessorClock => {
  return () => ({ server: readStat(pid)?.ms ?? Number.NaN, postgres: readPostgres() });
};
