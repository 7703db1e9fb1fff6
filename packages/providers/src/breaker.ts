/** Stops calls to a partner that does not answer, so that callers do not wait for it. */
import { ProviderPostponed, ProviderRefused, ProviderUnavailable, ProviderUnreadable } from "./http.ts";

/** After this many unanswered calls in a row the partner counts as unavailable. */
const failuresMax = 5;
/** How long no call is sent then. Afterwards one call tries. */
const openMs = 5_000;

export interface Breaker {
  <T>(call: () => Promise<T>): Promise<T>;
  /** Whether the partner counts as unavailable. */
  isOpen(): boolean;
}

/**
 * Forwards calls until five in a row have no answer. It then fails calls at once for five seconds. The next call
 * decides. A refusal counts as an answer, and so does one that cannot be read or that postpones this call alone.
 * @throws ProviderUnavailable without a call, while the partner counts as unavailable
 */
export function createBreaker(partner: string, now: () => number = () => performance.now()): Breaker {
  let failures = 0;
  let retryAt = 0;
  const forward = async <T>(call: () => Promise<T>): Promise<T> => {
    if (failures >= failuresMax) {
      if (now() < retryAt) {
        const paused = `${partner} did not answer recently; calls are paused`;
        throw new ProviderUnavailable(paused, { isWithoutEffect: true });
      }
      // Calls that arrive during this attempt fail at once, as before.
      retryAt = now() + openMs;
    }
    try {
      const answer = await call();
      failures = 0;
      return answer;
    } catch (error) {
      if (isAnswer(error)) failures = 0;
      else if (error instanceof ProviderUnavailable && ++failures >= failuresMax) retryAt = now() + openMs;
      throw error;
    }
  };
  return Object.assign(forward, { isOpen: () => failures >= failuresMax });
}

const isAnswer = (error: unknown): boolean =>
  error instanceof ProviderRefused || error instanceof ProviderUnreadable || error instanceof ProviderPostponed;
