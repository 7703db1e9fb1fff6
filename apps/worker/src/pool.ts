/** A pool of the queue: it runs jobs and keeps a heartbeat. */
import {
  type Announcement,
  announcePool,
  nameQueue,
  poolConnectionsMax,
  releasePool,
} from "@cardkeep/db/queue/liveness";
import { createQueuePool } from "@cardkeep/db/queue/pool";
import type { Runtime } from "@cardkeep/runtime/compose";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import { type LogLevel, Logger, run, type Runner, type TaskList, type WorkerPool } from "graphile-worker";
import { EventEmitter } from "node:events";
import { waitAtMost } from "./waitAtMost.ts";

/**
 * One connection fetches jobs for all slots of a pool: two parallel fetches would lock each other's subjects. A pool
 * fetches when it is woken, and every 5 s besides. A fetched job that finds no slot for 1 s goes back to other workers.
 */
const fetching = (size: number) => ({ pollInterval: 5_000, localQueue: { size, ttl: 1_000 } });
const slots = { own: 10, strangers: 24 } as const;

export type PoolName = keyof typeof slots;

/** Runs until it is stopped or loses the database. */
export interface Session {
  /** Resolves when a heartbeat's connection is lost, or after a stop. */
  readonly ended: Promise<void>;
  /**
   * Lets jobs in flight finish and releases every connection. Jobs that do not finish within 15 s are released, and run
   * again on another worker at once. A second call changes nothing.
   */
  stop(): Promise<void>;
}

export interface Pool extends Session {
  /** Fetches jobs now, if it has a free slot. */
  wake(): void;
}

/**
 * Starts a pool.
 *
 * @param input.onChange called when jobs were added, and when one has ended
 * @param input.name `own`: jobs that wait for us and our partners; `strangers`: one slot for each endpoint that receives
 * events at the same time, so 24 endpoints may hang (30 s at most) before others wait
 * @throws Error where the database is away; the pool is stopped by then
 */
export async function startPool(
  { runtime, sessionUrl, workerId }: { runtime: Runtime; sessionUrl: string; workerId: string },
  { name, taskList, onChange }: { name: PoolName; taskList: TaskList; onChange: () => void },
): Promise<Pool> {
  const events = new EventEmitter();
  // The library's object is a promise of the pool's end, so it must not be the value of another promise.
  const created = new Promise<Pick<WorkerPool, "id" | "nudge">>((resolve) => {
    events.on("pool:create", ({ workerPool }: { workerPool: WorkerPool }) =>
      resolve({ id: workerPool.id, nudge: (count) => workerPool.nudge(count) }),
    );
  });
  events.on("pool:listen:notification", onChange);
  events.on("job:complete", onChange);
  const size = slots[name];
  const pgPool = createQueuePool({
    url: sessionUrl,
    applicationName: nameQueue(workerId),
    connectionsMax: poolConnectionsMax[name],
    onError: (error) => runtime.log.warn({ err: error }, "the queue lost a connection"),
  });
  const runner: Runner = await run({
    pgPool,
    taskList,
    preset: { worker: { concurrentJobs: size, ...fetching(size) } },
    noHandleSignals: true,
    parsedCronItems: [],
    events,
    logger: new Logger(() => (level, message) => logQueue(runtime, level, message)),
  }).catch((error: unknown) => {
    void pgPool.end();
    throw error;
  });
  const runnerEnded = runner.promise.catch((error: unknown) => runtime.log.warn({ err: error }, "a pool ended"));
  let announcement: Announcement | null = null;
  const stopped = Promise.withResolvers<void>();
  const { jobsMs, callMs } = stopLimits;
  const stop = async (): Promise<void> => {
    // The heartbeat lasts until the pool's jobs have ended.
    const isDone = await waitAtMost(runtime, { what: "stop a pool", timeoutMs: jobsMs }, runner.stop());
    if (!pgPool.ending) void pgPool.end();
    if (announcement)
      await waitAtMost(runtime, { what: "release a liveness lock", timeoutMs: callMs }, announcement.release());
    if (!isDone)
      await waitAtMost(runtime, { what: "release jobs", timeoutMs: callMs }, releaseJobs(runtime, (await created).id));
    stopped.resolve();
  };
  try {
    const workerPool = await created;
    announcement = await announcePool(sessionUrl, workerPool.id, workerId);
    const ended = Promise.race([announcement.lost, stopped.promise, runnerEnded]);
    return { ended, stop, wake: () => workerPool.nudge(1) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function releaseJobs({ db, log }: Runtime, poolId: string): Promise<void> {
  const count = await releasePool(db, poolId);
  if (count > 0) log.warn({ count }, "jobs did not finish in time and were released to other workers");
}

/** graphile-worker advises a connection per job. Ours use the worker's own pool, so this advice is none. */
const isAdvice = (message: string): boolean => message.includes("smaller than concurrency");

function logQueue(runtime: Runtime, level: LogLevel, message: string): void {
  if (isAdvice(message)) return;
  if (level === "error") runtime.log.error({}, message);
  else if (level === "warning") runtime.log.warn({}, message);
  else runtime.log.debug({}, message);
}
