/** Spares a partner that does not answer, and everybody who would wait for it. */
import { ProviderRefused, ProviderUnavailable } from "./http.ts";

/** So many calls in a row without an answer, and the partner counts as away. */
const failuresMax = 5;
/** How long it is not asked then; afterwards one call tries. */
const openMs = 5_000;

export type Breaker = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Passes calls on until five in a row went unanswered, then refuses at once for five seconds, then lets one through:
 * its answer decides. A refusal is an answer.
 *
 * @throws ProviderUnavailable without calling, while the partner counts as away
 */
export function createBreaker(partner: string, now: () => number = () => performance.now()): Breaker {
  let failures = 0;
  let askAgainAt = 0;
  return async (call) => {
    if (failures >= failuresMax) {
      if (now() < askAgainAt) throw new ProviderUnavailable(`${partner} did not answer lately and is not asked now`);
      // Whoever comes while this call tries is refused as before.
      askAgainAt = now() + openMs;
    }
    try {
      const answer = await call();
      failures = 0;
      return answer;
    } catch (error) {
      if (error instanceof ProviderRefused) failures = 0;
      else if (error instanceof ProviderUnavailable && ++failures >= failuresMax) askAgainAt = now() + openMs;
      throw error;
    }
  };
}
