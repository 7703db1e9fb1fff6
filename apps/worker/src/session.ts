/**
 * Sessions of the worker: the pools of the queue with their heartbeat, and the listener of the outbox.
 *
 * A session starts as a whole or not at all. It ends when the heartbeat's connection is lost; then the next one starts.
 */
import { outboxChannel } from "@cardkeep/db/schema/partners/outbox";
import { readNextDueMs } from "@cardkeep/db/queue/due";
import { requireWritable } from "@cardkeep/db/queue/liveness";
import { jitter } from "@cardkeep/db/jitter";
import type { WorkerKeys } from "@cardkeep/domain/core/services";
import type { Runtime } from "@cardkeep/runtime/compose";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import { watchDueJobs } from "./dueJobs.ts";
import { type Pools, type Session, startPools } from "./pools.ts";
import { createTasks } from "./tasks.ts";
import { waitAtMost } from "./waitAtMost.ts";

/**
 * Mean pauses between attempts to start a session double from the first to the last. A pause is at most twice the mean, so a
 * worker is back within 5 s of a new primary.
 */
const retryMsMin = 250;
const retryMsMax = 1_500;

export interface SessionInput {
  runtime: Runtime;
  /** The address of the queue, its heartbeats and listeners. */
  sessionUrl: string;
  keys: WorkerKeys;
  /** Names the worker's connections; `/readyz` counts workers by it. */
  workerId: string;
  /** Called when events were committed. */
  onEvents(): void;
}

export interface Sessions {
  /** Whether a session takes jobs. Between two sessions none does. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

/**
 * Runs one session after the other until the stop. Resolves once the first one runs.
 * @throws Error if the database is away or refuses writes; all started parts are stopped by then
 */
export async function startSessions(input: SessionInput): Promise<Sessions> {
  const first = await startSession(input);
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

/** Starts a new session each time one has ended, and stops the last one. */
async function restart(
  input: SessionInput,
  { first, state }: { first: Session; state: { isRunning: boolean } },
  stopping: Promise<null>,
): Promise<void> {
  const stops = new Set<Promise<void>>();
  for (let session: Session | null = first; session !== null;) {
    state.isRunning = true;
    const isOver = await Promise.race([session.ended.then(() => false), stopping.then(() => true)]);
    state.isRunning = false;
    // The next session does not wait for the jobs in flight of a lost one. Without its heartbeat they are free already.
    const stop = session.stop();
    stops.add(stop);
    void stop.then(
      () => stops.delete(stop),
      (error: unknown) => input.runtime.log.error({ err: error }, "a part of a lost session did not stop"),
    );
    if (isOver) break;
    input.runtime.log.warn({}, "the database connection was lost, starting again");
    session = await startAgain(input, stopping);
  }
  await Promise.all(stops);
}

/** A new session; null if the worker stops meanwhile. */
async function startAgain(input: SessionInput, stopping: Promise<null>): Promise<Session | null> {
  const { log } = input.runtime;
  for (let pauseMs = retryMsMin; ; pauseMs = Math.min(2 * pauseMs, retryMsMax)) {
    const starting = startSession(input);
    try {
      const session = await Promise.race([starting, stopping]);
      // The start may hang on a database that is away. It is stopped as soon as it has ended.
      if (session === null) void starting.then((late) => late.stop()).catch(logLate);
      return session;
    } catch (error) {
      log.warn({ err: error, pauseMs }, "the queue is not reachable");
    }
    if ((await Promise.race([Bun.sleep(jitter(pauseMs)), stopping])) === null) return null;
  }

  function logLate(error: unknown): void {
    log.debug({ err: error }, "an abandoned session failed to start or to stop");
  }
}

async function startSession(input: SessionInput): Promise<Session> {
  const { runtime, keys } = input;
  const stopping = new AbortController();
  const stops: (() => Promise<unknown>)[] = [() => Promise.resolve(stopping.abort())];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map((one) => one()));
  };
  try {
    await requireWritable(runtime.db);
    const listTasks = createTasks(runtime, keys, stopping.signal);
    let pools: Pools | null = null;
    const dueJobs = watchDueJobs({
      readNextDueMs: (withinMs) => readNextDueMs(runtime.db, withinMs),
      wake: () => pools?.wake(),
      onFailure: (error) => runtime.log.debug({ err: error }, "the next job's time was not read"),
    });
    // A look may hang on a database that is away.
    stops.push(() =>
      waitAtMost(runtime, { what: "end the look for due jobs", timeoutMs: stopLimits.callMs }, dueJobs.stop()),
    );
    pools = await startPools(input, { listTasks, onChange: dueJobs.note });
    stops.push(pools.stop);
    const unlisten = await runtime.listen(outboxChannel, input.onEvents);
    stops.push(() => waitAtMost(runtime, { what: "end a listener", timeoutMs: stopLimits.callMs }, unlisten()));
    return { ended: pools.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
