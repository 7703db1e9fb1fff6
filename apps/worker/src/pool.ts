/** A pool of the queue: it runs the jobs of its tasks. */
import type { Runtime } from "@cardkeep/runtime/compose";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import { type LogLevel, Logger, run, type RunnerOptions, type TaskList, type WorkerPool } from "graphile-worker";
import { EventEmitter } from "node:events";
import { waitAtMost } from "./waitAtMost.ts";

/**
 * One connection fetches jobs for all slots of a pool: two parallel fetches would lock each other's subjects. A pool
 * fetches when it is woken, and every 5 s besides. A fetched job that finds no slot for 1 s goes back to other workers.
 */
const fetching = (size: number) => ({ pollInterval: 5_000, localQueue: { size, ttl: 1_000 } });

export interface Pool {
  /** By which its jobs are locked. */
  readonly id: string;
  /** Resolves when the pool has ended. */
  readonly ended: Promise<void>;
  /** Lets jobs in flight finish; false if some do not within 15 s. */
  stop(): Promise<boolean>;
  /** Fetches jobs now, if it has a free slot. */
  wake(): void;
}

/**
 * Starts a pool.
 *
 * @param input.onNotification called with the text of a notification of added jobs, of any pool
 * @param input.onEnded called when a job has ended
 * @throws Error where the database is away
 */
export async function startPool(
  runtime: Runtime,
  input: {
    pgPool: NonNullable<RunnerOptions["pgPool"]>;
    taskList: TaskList;
    slots: number;
    onNotification: (text: string) => void;
    onEnded: () => void;
  },
): Promise<Pool> {
  const events = new EventEmitter();
  // The library's object is a promise of the pool's end, so it must not be the value of another promise.
  const created = new Promise<{ id: string; wake: () => void }>((resolve) => {
    events.on("pool:create", ({ workerPool }: { workerPool: WorkerPool }) => {
      const nudge = workerPool.nudge.bind(workerPool);
      // By it the library has every pool fetch at every notification.
      workerPool.nudge = () => {};
      resolve({ id: workerPool.id, wake: () => nudge(1) });
    });
  });
  events.on("pool:listen:notification", ({ message }: { message: { payload?: string } }) =>
    input.onNotification(message.payload ?? ""),
  );
  events.on("job:complete", input.onEnded);
  const runner = await run({
    pgPool: input.pgPool,
    taskList: input.taskList,
    preset: { worker: { concurrentJobs: input.slots, ...fetching(input.slots) } },
    noHandleSignals: true,
    parsedCronItems: [],
    events,
    logger: new Logger(() => (level, message) => logQueue(runtime, level, message)),
  });
  const ended = runner.promise.catch((error: unknown) => runtime.log.warn({ err: error }, "a pool ended"));
  const { id, wake } = await created;
  const stop = () => waitAtMost(runtime, { what: "stop a pool", timeoutMs: stopLimits.jobsMs }, runner.stop());
  return { id, ended, stop, wake };
}

/** graphile-worker advises a connection per job. Ours use the worker's own pool, so this advice is none. */
const isAdvice = (message: string): boolean => message.includes("smaller than concurrency");

function logQueue(runtime: Runtime, level: LogLevel, message: string): void {
  if (isAdvice(message)) return;
  if (level === "error") runtime.log.error({}, message);
  else if (level === "warning") runtime.log.warn({}, message);
  else runtime.log.debug({}, message);
}
