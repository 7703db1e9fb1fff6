/**
 * Finds out when the next job is due.
 *
 * graphile-worker notifies when a job is added, and not when its `run_at` passes. Its own poll would be a fetch by each pool
 * every 200 ms.
 */

/** A job may come without a notification: a retry, or one whose process died before it notified. */
const lookEveryMs = 1_000;
/** Pause while a job is due: it waits for a slot, for another job of its queue, or for the fetch that has just begun. */
const dueEveryMs = 200;
/** Notes of this time share a look. */
const noteMs = 50;

export interface DueJobs {
  /** Looks again soon: a job was added, or one has ended. */
  note(): void;
  /** Resolves when no look is under way and none will come. */
  stop(): Promise<void>;
}

/**
 * Calls `wake` each time a job becomes due, and every 200 ms while one is.
 *
 * @param input.readNextDueMs answers the milliseconds until the next job is due, at most those that it is given
 */
export function watchDueJobs(input: {
  readNextDueMs(withinMs: number): Promise<number>;
  wake(): void;
  onFailure(error: unknown): void;
}): DueJobs {
  let [isNoted, isStopped] = [false, false];
  let interrupt = (): void => {};
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const look = async (): Promise<number> => {
    try {
      const nextMs = await input.readNextDueMs(lookEveryMs);
      if (nextMs > 0) return nextMs;
      input.wake();
    } catch (error) {
      input.onFailure(error);
    }
    return dueEveryMs;
  };
  const run = async (): Promise<void> => {
    while (!isStopped) {
      isNoted = false;
      const pauseMs = await look();
      if (!isNoted && !isStopped) await sleep(pauseMs);
      if (isNoted && !isStopped) await sleep(Math.min(noteMs, pauseMs));
    }
  };
  const running = run();
  return {
    note: () => {
      if (isNoted) return;
      isNoted = true;
      interrupt();
    },
    stop: async () => {
      isStopped = true;
      interrupt();
      await running;
    },
  };
}
