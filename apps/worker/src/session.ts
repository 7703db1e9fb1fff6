/**
 * A session of the worker: the pools of the queue with their liveness locks, and the fan-out of events.
 *
 * It starts whole or not at all. It ends when a liveness connection is lost, and the worker starts the next one.
 */
import {
  type Announcement,
  announcePool,
  buildQueueUrl,
  poolConnectionsMax,
  requireWritable,
} from "@cardkeep/db/queue/liveness";
import { outboxChannel } from "@cardkeep/db/queries/events";
import type { WorkerKeys } from "@cardkeep/domain/context";
import { fanOut, wakeEndpoints } from "@cardkeep/domain/webhooks/fanOut";
import type { Runtime } from "@cardkeep/runtime/compose";
import { type LogLevel, Logger, run, type Runner, type TaskList } from "graphile-worker";
import { EventEmitter } from "node:events";
import { startChore } from "./chore.ts";
import { createTasks } from "./tasks.ts";

/**
 * One fetches for all slots of a pool: while one looks for a job of a subject that nobody is at, another one would see
 * none. Nobody tells when a job's time has come, so it is asked for as often as this. What was fetched and finds no slot
 * for so long is given back to other workers.
 */
const fetching = (size: number) => ({ pollInterval: 200, localQueue: { size, ttl: 1_000 } });
const ownPool = { concurrentJobs: 10, maxPoolSize: poolConnectionsMax.own, ...fetching(10) };
/** A slot for each endpoint that is written to at once: so many may hang before others wait, and then for 30 s at most. */
const strangersPool = { concurrentJobs: 24, maxPoolSize: poolConnectionsMax.strangers, ...fetching(24) };
const fanOutEveryMs = 1_000;
const stopMsMax = 6_000;

export interface Session {
  /** Resolves when the session has lost a liveness connection or was stopped. */
  readonly ended: Promise<void>;
  /** Lets jobs in flight finish and releases every connection, waiting 12 s at most. A second call changes nothing. */
  stop(): Promise<void>;
}

/**
 * Starts a session.
 *
 * @param input.workerId names the worker's connections, by which `/readyz` counts them
 * @throws Error where the database is away or refuses writes; what had started is stopped by then
 */
export async function startSession(input: {
  runtime: Runtime;
  databaseUrl: string;
  keys: WorkerKeys;
  workerId: string;
}): Promise<Session> {
  const { runtime, keys } = input;
  const stopping = new AbortController();
  const stops: (() => Promise<unknown>)[] = [() => Promise.resolve(stopping.abort())];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map((one) => one()));
  };
  try {
    await requireWritable(runtime.db);
    const tasks = createTasks(runtime, keys, stopping.signal);
    const own = await startPool(input, tasks.own, ownPool);
    stops.push(own.stop);
    const strangers = await startPool(input, tasks.strangers, strangersPool);
    stops.push(strangers.stop);
    stops.push(await startFanOut(runtime));
    return { ended: Promise.race([own.ended, strangers.ended]), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One pool of the queue, announced as alive. */
async function startPool(
  { runtime, databaseUrl, workerId }: { runtime: Runtime; databaseUrl: string; workerId: string },
  taskList: TaskList,
  options: GraphileConfig.WorkerOptions,
): Promise<Session> {
  const events = new EventEmitter();
  const poolId = new Promise<string>((resolve) => {
    events.on("pool:create", ({ workerPool }: { workerPool: { id: string } }) => resolve(workerPool.id));
  });
  const runner: Runner = await run({
    taskList,
    preset: { worker: { connectionString: buildQueueUrl(databaseUrl, workerId), ...options } },
    noHandleSignals: true,
    parsedCronItems: [],
    events,
    logger: new Logger(() => (level, message) => logQueue(runtime, level, message)),
  });
  const runnerEnded = runner.promise.catch((error: unknown) => runtime.log.warn({ err: error }, "a pool ended"));
  let announcement: Announcement | null = null;
  const stopped = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    // The pool counts as alive for as long as its jobs run.
    await withLimit(runtime, "stop a pool", runner.stop());
    if (announcement) await withLimit(runtime, "release a liveness lock", announcement.release());
    stopped.resolve();
  };
  try {
    announcement = await announcePool(databaseUrl, await poolId, workerId);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ended: Promise.race([announcement.lost, stopped.promise, runnerEnded]), stop };
}

/** Fans events out as soon as they are committed; a notice that was lost is made up for within a second. */
async function startFanOut(runtime: Runtime): Promise<() => Promise<void>> {
  const { log, services } = runtime;
  const chore = startChore(log, { name: "fan out", everyMs: fanOutEveryMs, run: () => fanOut(services) });
  const alarm = startChore(log, { name: "wake endpoints", everyMs: fanOutEveryMs, run: () => wakeEndpoints(services) });
  const stopChores = () => Promise.all([chore.stop(), alarm.stop()]);
  try {
    const unlisten = await runtime.listen(outboxChannel, () => chore.wake());
    return async () => {
      await withLimit(runtime, "end a listener", unlisten());
      await stopChores();
    };
  } catch (error) {
    await stopChores();
    throw error;
  }
}

/** Waits for `work`, but not beyond the limit: a database that is away must not hold up a stop. */
async function withLimit({ log }: Runtime, what: string, work: Promise<unknown>): Promise<void> {
  const ended = work.catch((error: unknown) => log.debug({ err: error }, `could not ${what}`));
  await Promise.race([ended, Bun.sleep(stopMsMax)]);
}

function logQueue(runtime: Runtime, level: LogLevel, message: string): void {
  if (level === "error") runtime.log.error({}, message);
  else if (level === "warning") runtime.log.warn({}, message);
  else runtime.log.debug({}, message);
}
