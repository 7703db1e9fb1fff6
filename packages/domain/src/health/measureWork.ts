import { countConnections, countForeignEntries, measureDelays } from "@cardkeep/db/queries/health";
import { countJobs, type JobCount } from "@cardkeep/db/queries/jobs";
import type { DelayStatus } from "@cardkeep/contract/delays";
import type { Services } from "../context.ts";

/** The states in which the chain may execute an operation once it has cooled down. */
const isQueuedOnChain = (status: DelayStatus): boolean => status === "WAITING" || status === "EXECUTING";

export interface WorkMeasures {
  jobs: JobCount[];
  /** How long the longest-waiting job could have run, in seconds. */
  oldestJobSeconds: number;
  delays: { status: DelayStatus; count: number }[];
  /** How long the most belated operation could have been executed, in seconds. */
  latenessSeconds: number;
  /** Entries in the queues of our Safes that no operation of ours stands for. */
  foreignEntries: number;
  connections: { part: string; state: string; count: number }[];
}

/** Whether anyone waits: the queue, the delayed operations, the database's connections. */
export async function measureWork({ db, clock }: Pick<Services, "db" | "clock">): Promise<WorkMeasures> {
  const [jobs, delays, connections, foreignEntries] = await Promise.all([
    countJobs(db),
    clock.now(db).then((now) => measureDelays(db, now)),
    countConnections(db),
    countForeignEntries(db),
  ]);
  const waiting = jobs.filter(({ state }) => state === "waiting");
  const queued = delays.filter(({ status }) => isQueuedOnChain(status));
  return {
    jobs,
    oldestJobSeconds: Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds)),
    delays,
    latenessSeconds: Math.max(0, ...queued.map(({ latenessSeconds }) => latenessSeconds)),
    connections,
    foreignEntries,
  };
}
