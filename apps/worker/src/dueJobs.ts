/**
 * Finds out when jobs are due, and wakes the pools that have one.
 *
 * graphile-worker notifies when a job is added, and not when its `run_at` passes. Its own poll would be a fetch by each pool
 * every 200 ms, and its answer to a notification a fetch by each pool, though the job is of one.
 */
import type { DuePools } from "@cardkeep/db/queue/due";
import type { PoolName } from "@cardkeep/db/queue/catalogue";

/** A job may come without a notification: a retry, or one whose process died before it notified. */
const lookEveryMs = 1_000;
/** Pause while a job is due: it waits for a slot, for another job of its queue, or for the fetch that has just begun. */
const dueEveryMs = 200;
/** Why there may be a job that no look has seen. */
type Note = "added" | "ended";
/** Notes share a look: the next one comes so long after the last one, or at once where that is past. */
const addedMs = 10;
/** An end frees a slot, which its pool fills by itself, or a queue, whose next job can wait for others that end. */
const endedMs = 50;

export interface DueJobs {
  /** Looks again soon: a job was added, or one has ended. */
  note(what: Note): void;
  /** Resolves when no look is under way and none will come. */
  stop(): Promise<void>;
}

/**
 * Calls `wake` with the pools that have due jobs each time one becomes due, and every 200 ms while one is.
 *
 * @param input.readDue answers the pools that have due jobs, and the milliseconds until the next one, at most those that it is given
 */
export function watchDueJobs(input: {
  readDue(withinMs: number): Promise<DuePools>;
  wake(pools: ReadonlySet<PoolName>): void;
  onFailure(error: unknown): void;
}): DueJobs {
  let isStopped = false;
  let [lookAtMs, lookedAtMs] = [0, 0];
  let interrupt = (): void => {};
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const plan = (atMs: number): void => {
    if (atMs >= lookAtMs) return;
    lookAtMs = atMs;
    interrupt();
  };
  const look = async (): Promise<number> => {
    try {
      const { pools, nextMs } = await input.readDue(lookEveryMs);
      if (pools.size === 0) return nextMs;
      input.wake(pools);
      return Math.min(nextMs, dueEveryMs);
    } catch (error) {
      input.onFailure(error);
      return dueEveryMs;
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopped) {
      // A note from now on plans the next look.
      [lookAtMs, lookedAtMs] = [Number.POSITIVE_INFINITY, performance.now()];
      const pauseMs = await look();
      plan(performance.now() + pauseMs);
      while (!isStopped && performance.now() < lookAtMs) await sleep(Math.ceil(lookAtMs - performance.now()));
    }
  };
  const running = run();
  return {
    note: (what) => plan(what === "added" ? lookedAtMs + addedMs : performance.now() + endedMs),
    stop: async () => {
      isStopped = true;
      interrupt();
      await running;
    },
  };
}
