/** Who may see an operator's measures and reasons, with a bound on guesses of the key. */
import { CardkeepError } from "@cardkeep/contract/errors";
import type { RateLimits } from "@cardkeep/domain/limits/rateLimits";
import { createOperatorCheck } from "./operator.ts";

/** Wrong keys a minute of one network, on all servers together. */
const guessQuota = { name: "operator-key", count: 10, withinSeconds: 60 };
const networksMax = 10_000;

export interface OperatorGate {
  /** Whether a request carries the operator's key. @throws request.rate_limited once its network guessed too often */
  isOperator(request: Request, network: string): Promise<boolean>;
}

/**
 * A gate for the key; without a key everybody passes. Right keys cost nothing, so that scrapers are never counted; after
 * too many wrong ones no key of that network is looked at until the minute is over.
 */
export function createOperatorGate(key: string | null, rateLimits: RateLimits): OperatorGate {
  const isKey = createOperatorCheck(key);
  const blocked = new Map<string, { error: CardkeepError; untilMs: number }>();
  return {
    isOperator: async (request, network) => {
      if (key !== null && !request.headers.has("authorization")) return false;
      const block = blocked.get(network);
      if (block && Date.now() < block.untilMs) throw block.error;
      blocked.delete(network);
      if (isKey(request)) return true;
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
