/** The places of requests that take long or much: of those that wait for the worker, and of large bodies. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { LimitReached } from "./errors.ts";

/** Such requests of one process. */
export interface Waits {
  /**
   * Takes a place for a request, and answers how to leave it; the fault where the user's or all places are taken. With
   * null it counts among all alone.
   */
  enter(userId: string | null): { leave(): void } | { fault: CardkeepError };
  /** Asks one question after the other: however many requests wait, they take one connection to the database. */
  ask<T>(question: () => Promise<T>): Promise<T>;
}

/** @param input.perUserMax requests of one user, @param input.totalMax of all users, @param input.limit its name in metrics */
export function createWaits({
  perUserMax,
  totalMax,
  limit = "waiting-requests",
}: {
  perUserMax: number;
  totalMax: number;
  limit?: string;
}): Waits {
  const places = new Map<string, number>();
  let total = 0;
  let last: Promise<unknown> = Promise.resolve();
  const change = (userId: string | null, by: 1 | -1): void => {
    total += by;
    if (userId === null) return;
    const count = (places.get(userId) ?? 0) + by;
    if (count === 0) places.delete(userId);
    else places.set(userId, count);
  };
  return {
    enter: (userId) => {
      const own = userId === null ? 0 : (places.get(userId) ?? 0);
      if (own >= perUserMax || total >= totalMax) {
        const cause = new LimitReached(limit, `${own} requests of the user and ${total} of all are under way`);
        return { fault: new CardkeepError("server.unavailable", { cause }) };
      }
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
 * Runs a request in a place that is taken before: of a user, a partner or an account, or with null among all alone.
 *
 * @throws server.unavailable where none is left; nothing was run then
 */
export async function holdPlace<T>(waits: Waits, subject: string | null, run: () => Promise<T>): Promise<T> {
  const place = waits.enter(subject);
  if ("fault" in place) throw place.fault;
  try {
    return await run();
  } finally {
    place.leave();
  }
}
