/** Waiting inside a request for what the worker makes of it. */
import { CardkeepError } from "@cardkeep/contract/errors";
import type { UserContext } from "./context.ts";

const askEveryMs = 100;

/** A worker that is behind needs a few seconds. */
export const waitAgainSeconds = 5;

/** The waiting requests of one process. */
export interface Waits {
  /** Takes a place for a request, and answers how to leave it; the fault where the user's or all places are taken. */
  enter(userId: string): { leave(): void } | { fault: CardkeepError };
  /** Asks one question after the other: however many requests wait, they take one connection to the database. */
  ask<T>(question: () => Promise<T>): Promise<T>;
}

/** @param input.perUserMax waiting requests of one user, @param input.totalMax of all users */
export function createWaits({ perUserMax, totalMax }: { perUserMax: number; totalMax: number }): Waits {
  const places = new Map<string, number>();
  let total = 0;
  let last: Promise<unknown> = Promise.resolve();
  const change = (userId: string, by: 1 | -1): void => {
    const count = (places.get(userId) ?? 0) + by;
    if (count === 0) places.delete(userId);
    else places.set(userId, count);
    total += by;
  };
  return {
    enter: (userId) => {
      if ((places.get(userId) ?? 0) >= perUserMax)
        return { fault: new CardkeepError("request.rate_limited", { retryAfterSeconds: 1 }) };
      if (total >= totalMax)
        return { fault: new CardkeepError("server.unavailable", { retryAfterSeconds: waitAgainSeconds }) };
      change(userId, 1);
      return { leave: () => change(userId, -1) };
    },
    ask: (question) => {
      const asked = last.then(question);
      last = asked.catch(() => null);
      return asked;
    },
  };
}

/**
 * Runs a request that writes something and then waits for it with `pollUntil`, in a place that is taken before.
 *
 * @throws request.rate_limited, server.unavailable; nothing was run then
 */
export async function holdPlace<T>({ waits, actor }: UserContext, run: () => Promise<T>): Promise<T> {
  const place = waits.enter(actor.userId);
  if ("fault" in place) throw place.fault;
  try {
    return await run();
  } finally {
    place.leave();
  }
}

/** What `ask` answers once that is not null; null when the request that began at `startedMs` has to be answered. */
export async function pollUntil<T>(
  { rules, waits }: UserContext,
  startedMs: number,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    const answer = await waits.ask(ask);
    if (answer !== null || performance.now() - startedMs + askEveryMs > rules.answerMsMax) return answer;
    await Bun.sleep(askEveryMs);
  }
}

/** The same as `pollUntil` in a place of its own; where none is free, `ask` is asked once. */
export async function waitUntil<T>(
  ctx: UserContext,
  startedMs: number,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  const place = ctx.waits.enter(ctx.actor.userId);
  if ("fault" in place) return ask();
  try {
    return await pollUntil(ctx, startedMs, ask);
  } finally {
    place.leave();
  }
}
