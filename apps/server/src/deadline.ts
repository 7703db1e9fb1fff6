import { CardkeepError } from "@cardkeep/contract/errors";

/** Longer than any request takes that waits for the chain, shorter than most clients wait. */
const deadlineMs = 15_000;
const lookEveryMs = 500;

interface Waiting {
  readonly untilMs: number;
  giveUp(fault: CardkeepError): void;
}

const waiting = new Set<Waiting>();

/** The requests are looked at all at once: a timer for each would cost more than most of them. */
function look(): void {
  const nowMs = performance.now();
  for (const entry of waiting) {
    // They are in the order in which they came.
    if (entry.untilMs > nowMs) break;
    waiting.delete(entry);
    entry.giveUp(new CardkeepError("server.unavailable"));
  }
}

setInterval(look, lookEveryMs).unref();

/**
 * Runs what answers a request, and answers 503 in its place where it still waits after 15 s, for a connection that others
 * hold, say. What it started may still be carried out.
 *
 * @throws server.unavailable
 */
export function withDeadline<T>(run: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const entry: Waiting = { untilMs: performance.now() + deadlineMs, giveUp: reject };
    waiting.add(entry);
    run().then(
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
