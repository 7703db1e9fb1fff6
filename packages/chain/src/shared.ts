/** Shares one answer among callers at the same time. */

/**
 * Shares the runs of `work`: one at a time, started at least `everyMs` apart. Each caller gets the answer of a run
 * that starts after its own call, so no answer is older than the request.
 */
export function createShared<T>(work: () => Promise<T>, { everyMs }: { everyMs: number }): () => Promise<T> {
  let startedMs = Number.NEGATIVE_INFINITY;
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const start = (): Promise<T> => {
    startedMs = performance.now();
    const run = work().finally(() => {
      if (current === run) current = null;
    });
    current = run;
    return run;
  };
  const startNext = async (): Promise<T> => {
    // Its failure belongs to earlier callers.
    await current?.catch(() => null);
    const restMs = startedMs + everyMs - performance.now();
    if (restMs > 0) await Bun.sleep(restMs);
    next = null;
    return start();
  };
  return () => {
    if (next === null && current === null && performance.now() - startedMs >= everyMs) return start();
    next ??= startNext();
    return next;
  };
}
