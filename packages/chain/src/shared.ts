/** One answer for many who ask at the same time. */

/**
 * Shares the runs of `work`: one at a time, begun at least `everyMs` apart. Each caller gets the answer of a run that begins
 * after it asked, so that no answer is older than its question.
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
    // Its failure is for those who asked before.
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
