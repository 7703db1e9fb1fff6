/** Waiting inside a request for what the worker makes of it. */

/** The request may take 10 s, what comes before and after the wait included. */
const waitMsMax = 9_500;
const askEveryMs = 100;

/** What `ask` answers once that is not null; null when the request that began at `startedMs` has to be answered. */
export async function waitUntil<T>(startedMs: number, ask: () => Promise<T | null>): Promise<T | null> {
  for (;;) {
    const answer = await ask();
    if (answer !== null || performance.now() - startedMs + askEveryMs > waitMsMax) return answer;
    await Bun.sleep(askEveryMs);
  }
}
