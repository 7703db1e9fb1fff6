/**
 * Runs of the worker: the pools of the queue with their heartbeat, and the listener of the outbox.
 *
 * A run starts as a whole or not at all. It ends when the heartbeat's connection is lost; then the next one starts.
 */
import { outboxChannel } from "@cardkeep/db/schema/partners/outbox";
import { readDuePools } from "@cardkeep/db/queue/due";
import { requireWritable } from "@cardkeep/db/queue/liveness";
import type { WorkerKeys } from "@cardkeep/domain/core/services";
import type { Runtime } from "@cardkeep/runtime/compose";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import { listPauses } from "@cardkeep/runtime/wait";
import { watchDueJobs } from "./dueJobs.ts";
import { type Pools, type QueueRun, startPools } from "./pools.ts";
import { createTasks } from "./tasks.ts";
import { waitAtMost } from "./waitAtMost.ts";

/** Mean pauses between attempts to start. A pause is at most twice the mean, so a worker is back within 5 s of a new primary. */
export const startPauses = { minMs: 250, maxMs: 1_500 };

export interface QueueRunInput {
  runtime: Runtime;
  /** The address of the queue, its heartbeats and listeners. */
  sessionUrl: string;
  keys: WorkerKeys;
  /** Names the worker's connections; `/readyz` counts workers by it. */
  workerId: string;
  /** Called when events were committed. */
  onEvents(): void;
}

export interface QueueRuns {
  /** Whether a run takes jobs. Between two runs none does. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

/**
 * Starts one run after the other until the stop. Resolves once the first one runs.
 * @throws Error if the database is away or refuses writes; all started parts are stopped by then
 */
export async function startQueueRuns(input: QueueRunInput): Promise<QueueRuns> {
  const first = await startQueueRun(input);
  const stopping = Promise.withResolvers<null>();
  const state = { isRunning: true };
  const running = restart(input, { first, state }, stopping.promise);
  return {
    isRunning: () => state.isRunning,
    stop: async () => {
      stopping.resolve(null);
      await running;
    },
  };
}

/** Starts a new run each time one has ended, and stops the last one. */
async function restart(
  input: QueueRunInput,
  { first, state }: { first: QueueRun; state: { isRunning: boolean } },
  stopping: Promise<null>,
): Promise<void> {
  const stops = new Set<Promise<void>>();
  for (let run: QueueRun | null = first; run !== null;) {
    state.isRunning = true;
    const isOver = await Promise.race([run.ended.then(() => false), stopping.then(() => true)]);
    state.isRunning = false;
    // The next run does not wait for the jobs in flight of a lost one. Without its heartbeat they are free already.
    const stop = run.stop();
    stops.add(stop);
    void stop.then(
      () => stops.delete(stop),
      (error: unknown) => input.runtime.log.error({ err: error }, "a part of a lost run did not stop"),
    );
    if (isOver) break;
    input.runtime.log.warn({}, "the database connection was lost, starting again");
    run = await startAgain(input, stopping);
  }
  await Promise.all(stops);
}

/** A new run; null if the worker stops meanwhile. */
async function startAgain(input: QueueRunInput, stopping: Promise<null>): Promise<QueueRun | null> {
  const { log } = input.runtime;
  for (const pauseMs of listPauses(startPauses)) {
    const starting = startQueueRun(input);
    try {
      const run = await Promise.race([starting, stopping]);
      // The start may hang on a database that is away. It is stopped as soon as it has ended.
      if (run === null) void starting.then((late) => late.stop()).catch(logLate);
      return run;
    } catch (error) {
      log.warn({ err: error, pauseMs }, "the queue is not reachable");
    }
    if ((await Promise.race([Bun.sleep(pauseMs), stopping])) === null) break;
  }
  return null;

  function logLate(error: unknown): void {
    log.debug({ err: error }, "an abandoned run failed to start or to stop");
  }
}

async function startQueueRun(input: QueueRunInput): Promise<QueueRun> {
  const { runtime, keys } = input;
  const stopping = new AbortController();
  const stops: (() => Promise<unknown>)[] = [() => Promise.resolve(stopping.abort())];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map((one) => one()));
  };
  try {
    await requireWritable(runtime.db);
    const listTasks = createTasks(runtime, { ...keys, workerId: input.workerId, stopping: stopping.signal });
    let pools: Pools | null = null;
    const dueJobs = watchDueJobs({
      readDue: (withinMs) => readDuePools(runtime.db, withinMs),
      wake: (names) => pools?.wake(names),
      onFailure: (error) => runtime.log.debug({ err: error }, "the next job's time was not read"),
    });
    // A look may hang on a database that is away.
    stops.push(() =>
      waitAtMost(runtime, { what: "end the look for due jobs", timeoutMs: stopLimits.callMs }, dueJobs.stop()),
    );
    pools = await startPools(input, {
      listTasks,
      onAdded: () => dueJobs.note("added"),
      onEnded: () => dueJobs.note("ended"),
    });
    stops.push(pools.stop);
    const unlisten = await runtime.listen(outboxChannel, input.onEvents);
    stops.push(() => waitAtMost(runtime, { what: "end a listener", timeoutMs: stopLimits.callMs }, unlisten()));
    return { ended: pools.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
