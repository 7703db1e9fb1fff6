/** How many connections to the database a process may hold, pool by pool. */
import { readConnectionsMax } from "@cardkeep/db/client";
import { sessionConnectionsMax } from "@cardkeep/db/queue/liveness";

/** The kinds of processes. */
export type Part = "server" | "worker" | "sandbox" | "cli";

export interface ConnectionPlan {
  /** Requests, jobs and chores. */
  readonly general: number;
  /** The few questions that are asked all the time. */
  readonly reads: number;
  /** Need a session: the queue's pools, their heartbeat, and a listener. */
  readonly sessions: number;
}

/** The connections of each process that need a session. */
const sessions = { server: 0, worker: sessionConnectionsMax, sandbox: 0, cli: 0 } as const;

/** The connections of each process by default. */
const defaults = { server: 11, worker: 20, sandbox: 5, cli: 3 } as const;

/** A worker of fewer connections would have less than two for its jobs. */
export const connectionsMin = sessions.worker + 3;

/** Divides the connections of a process. `total` is DATABASE_CONNECTIONS, which holds for servers and workers. */
export function planConnections(part: Part, total: number | null): ConnectionPlan {
  const all = part === "server" || part === "worker" ? (total ?? defaults[part]) : defaults[part];
  const shared = all - sessions[part];
  // Only a server asks all the time.
  const reads = part === "server" ? Math.min(readConnectionsMax, Math.floor(shared / 2)) : 1;
  return { general: shared - reads, reads, sessions: sessions[part] };
}

/** All connections of a plan. */
export const sumConnections = ({ general, reads, sessions: needed }: ConnectionPlan): number =>
  general + reads + needed;
