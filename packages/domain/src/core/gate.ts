/** Work that runs one at a time, so that it fills neither the event loop nor the memory. */
import { CardkeepError } from "@cardkeep/contract/core/errors";

export interface Gate {
  /** Runs the work in its turn. @throws server.unavailable while too many wait */
  take<T>(work: () => Promise<T>): Promise<T>;
}

/** Turns of one process: at most `waitingMax` wait, and the next begins `pauseMs` after the end of the one before. */
export function createGate({ pauseMs, waitingMax }: { pauseMs: number; waitingMax: number }): Gate {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    take: async (work) => {
      if (waiting >= waitingMax) throw new CardkeepError("server.unavailable");
      waiting += 1;
      const before = last;
      const ended = Promise.withResolvers<void>();
      last = ended.promise.then(() => Bun.sleep(pauseMs));
      await before;
      try {
        return await work();
      } finally {
        waiting -= 1;
        ended.resolve();
      }
    },
  };
}
