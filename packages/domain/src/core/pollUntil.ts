/** Waiting inside a request until the worker has done its part. */
import type { UserContext } from "./context.ts";
import type { Waits } from "./waits.ts";

const askEveryMs = 100;

/**
 * Runs a request in a place that is taken before, such as one that writes something and then waits for it with `pollUntil`.
 *
 * @throws server.unavailable where the user or the process has none left; nothing was run then
 */
export async function holdPlace<T>(
  { waits, actor }: { waits: Waits; actor: { userId: string | null } },
  run: () => Promise<T>,
): Promise<T> {
  const place = waits.enter(actor.userId);
  if ("fault" in place) throw place.fault;
  try {
    return await run();
  } finally {
    place.leave();
  }
}

/** The first answer of `ask` that is not null; null when the request that began at `startedMs` has to be answered. */
export async function pollUntil<T>(
  { policy, waits }: UserContext,
  startedMs: number,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    const answer = await waits.ask(ask);
    if (answer !== null || performance.now() - startedMs + askEveryMs > policy.answerMsMax) return answer;
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
