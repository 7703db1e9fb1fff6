import { ProviderRefused, ProviderUnavailable, ProviderUnreadable } from "@cardkeep/providers/http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "./context.ts";

/** Calls about one row, and the pause between them: a partner that answers 429 takes a call again by then. */
const callsPerRow = 3;
const pauseMs = 1_000;

/** Calls `call` about one row; null where the partner has no answer for it. @throws ProviderUnavailable while it is away */
export type RowCall = <T>(name: string, call: () => Promise<T>) => Promise<T | null>;

/**
 * Calls about many rows, one after the other: a row that the partner refuses, never answers, or answers with what cannot be
 * read, holds up no other one. `skip` records such a row, or throws where it may not be left out.
 *
 * @param failuresMax after so many rows in a row without an answer the partner counts as away
 */
export function createRowCalls(
  { log }: Pick<Context, "log">,
  skip: (name: string, error: unknown) => Promise<void>,
  failuresMax = 3,
): RowCall {
  let failures = 0;
  return async (name, call) => {
    try {
      const answer = await callAgain(call);
      failures = 0;
      return answer;
    } catch (error) {
      if (!isAnswer(error) && !(error instanceof ProviderUnavailable)) throw error;
      failures = isAnswer(error) ? 0 : failures + 1;
      if (failures >= failuresMax) throw error;
      log.warn({ err: error, name }, "a partner has no answer about a row of a comparison");
      await skip(name, error);
      return null;
    }
  };
}

/** Whether the partner answered: it would answer the same again, and is not away. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof ProviderRefused || error instanceof ProviderUnreadable;

async function callAgain<T>(call: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await call();
    } catch (error) {
      if (isAnswer(error) || !(error instanceof ProviderUnavailable) || made === callsPerRow) throw error;
      await sleep(pauseMs);
    }
  }
}
