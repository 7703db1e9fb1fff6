/** Waiting inside a request until the worker has done its part. */
import type { UserContext } from "./context.ts";

const askEveryMs = 100;

/** Whether the request that began at `startedMs` has to be answered. */
export const mustAnswer = ({ policy }: Pick<UserContext, "policy">, startedMs: number): boolean =>
  performance.now() - startedMs + askEveryMs > policy.answerMsMax;

/** The first answer of `ask` that is not null; null when the request that began at `startedMs` has to be answered. */
export async function pollUntil<T>(
  ctx: UserContext,
  startedMs: number,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    const answer = await ctx.waits.ask(ask);
    if (answer !== null || mustAnswer(ctx, startedMs)) return answer;
    await Bun.sleep(askEveryMs);
  }
}

/** The same as `pollUntil` in a place of `userId`, or with null of all; where none is free, `ask` is asked once. */
export async function waitUntil<T>(
  ctx: UserContext,
  userId: string | null,
  startedMs: number,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  const place = ctx.waits.enter(userId);
  if ("fault" in place) return ask();
  try {
    return await pollUntil(ctx, startedMs, ask);
  } finally {
    place.leave();
  }
}
