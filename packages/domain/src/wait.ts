/** Waiting inside a request for what the worker makes of it. */
import type { Context } from "./context.ts";

const askEveryMs = 100;

/** What `ask` answers once that is not null; null when the request that began at `startedMs` has to be answered. */
export async function waitUntil<T>(
  { rules }: Pick<Context, "rules">,
  startedMs: number,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    const answer = await ask();
    if (answer !== null || performance.now() - startedMs + askEveryMs > rules.answerMsMax) return answer;
    await Bun.sleep(askEveryMs);
  }
}
