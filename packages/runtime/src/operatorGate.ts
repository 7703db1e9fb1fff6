/** Guards metrics and reasons by the operator's key, with a limit on guesses. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import type { RateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { createOperatorCheck } from "./keyCheck.ts";

/** Wrong keys a minute per network, on all servers together. */
const guessQuota = { name: "operator-key", count: 10, withinSeconds: 60 };
const networksMax = 10_000;

export interface OperatorGate {
  /**
   * Whether a request carries the operator's key.
   * @throws request.rate_limited after too many wrong keys from its network
   */
  isOperator(request: Request, network: string): Promise<boolean>;
}

/**
 * A gate for the present keys; without a key every request passes. Right keys are not counted, so that scrapers are never
 * limited. After too many wrong keys, keys of that network are not checked for the rest of the minute.
 */
export function createOperatorGate(
  getKeys: () => readonly string[],
  rateLimits: RateLimits,
  onKey?: (key: string) => void,
): OperatorGate {
  const blocked = new Map<string, { error: CardkeepError; untilMs: number }>();
  return {
    isOperator: async (request, network) => {
      const keys = getKeys();
      if (keys.length > 0 && !request.headers.has("authorization")) return false;
      const block = blocked.get(network);
      if (block && Date.now() < block.untilMs) throw block.error;
      blocked.delete(network);
      if (createOperatorCheck(keys, onKey)(request)) return true;
      try {
        await rateLimits.take(guessQuota, network);
        return false;
      } catch (error) {
        if (!(error instanceof CardkeepError)) throw error;
        if (blocked.size >= networksMax) blocked.clear();
        blocked.set(network, { error, untilMs: Date.now() + (error.retryAfterSeconds ?? 0) * 1000 });
        throw error;
      }
    },
  };
}
