import { CardkeepError } from "@cardkeep/contract/core/errors";
import { LimitReached } from "@cardkeep/domain/core/errors";

/** Longer than a request waits for the chain (9.5 s), and no longer than the interface promises. */
const deadlineMs = 10_000;
const checkEveryMs = 200;

/** Runs work whose time does not count. */
export type Pause = <T>(work: () => Promise<T>) => Promise<T>;

interface Waiting {
  untilMs: number;
  giveUp(fault: CardkeepError): void;
}

const waiting = new Set<Waiting>();
let isChecking = false;

/** Checks all requests at once while there are some: a timer for each would cost more than most requests. */
function checkLater(): void {
  if (isChecking) return;
  isChecking = true;
  setTimeout(() => {
    isChecking = false;
    expireOverdue();
    if (waiting.size > 0) checkLater();
  }, checkEveryMs).unref();
}

function expireOverdue(): void {
  const nowMs = performance.now();
  for (const entry of waiting) {
    if (entry.untilMs > nowMs) continue;
    waiting.delete(entry);
    entry.giveUp(describeEnd());
  }
}

function describeEnd(): CardkeepError {
  const cause = new LimitReached("answer-time", `The request had no answer after ${deadlineMs / 1_000} s`);
  return new CardkeepError("server.unavailable", { cause });
}

/**
 * Runs the work of a request. After 10 s the answer is 503, for example while other requests hold all connections or a
 * commit waits for a standby, which `statement_timeout` does not end. The work may still complete. After a pause the
 * 10 s begin again.
 *
 * The parts of a request have one time with the same `startedAtMs`; a part whose time is over does not begin.
 * @throws server.unavailable
 */
export function withDeadline<T>(
  run: (pause: Pause) => Promise<T>,
  startedAtMs: number = performance.now(),
): Promise<T> {
  if (performance.now() >= startedAtMs + deadlineMs) return Promise.reject(describeEnd());
  return new Promise((resolve, reject) => {
    const entry: Waiting = { untilMs: 0, giveUp: reject };
    const begin = (fromMs = performance.now()): void => {
      entry.untilMs = fromMs + deadlineMs;
      waiting.add(entry);
      checkLater();
    };
    const pause: Pause = async (work) => {
      waiting.delete(entry);
      try {
        return await work();
      } finally {
        begin();
      }
    };
    begin(startedAtMs);
    run(pause).then(
      (output) => {
        waiting.delete(entry);
        resolve(output);
      },
      (error: unknown) => {
        waiting.delete(entry);
        reject(error);
      },
    );
  });
}
