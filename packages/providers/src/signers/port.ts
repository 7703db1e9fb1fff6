/** A service that holds a key of the chain and signs with it. Its signatures are verified by the caller. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import pRetry from "p-retry";
import pTimeout from "p-timeout";
import { type Breaker, createBreaker } from "../breaker.ts";
import { ProviderUnavailable } from "../http.ts";

export interface KeyService {
  /**
   * A signature of these 32 bytes, with either value of `s`.
   * @throws ProviderUnavailable, ProviderRefused
   */
  signDigest(digest: Hex): Promise<{ r: bigint; s: bigint }>;
  /**
   * The 64 bytes of the key's point, x and y.
   * @throws ProviderUnavailable, ProviderRefused
   */
  getPublicKey(): Promise<Hex>;
  /** Whether calls fail at once, after five in a row without an answer. */
  isPaused(): boolean;
}

/** Time limits of one signature, and of each try. A signature takes 30 to 300 ms. */
export interface SigningLimits {
  readonly totalMs: number;
  readonly tryMs: number;
}

/** Signing twice changes nothing, so every call without an answer may be repeated. */
const retriesMax = 4;
const pauseMs = { min: 100, max: 1_000 } as const;

/**
 * Repeats a call of one key's service that is throttled or has no answer, after random pauses and up to a deadline. Stops calls
 * for a while after five that failed all the same.
 */
export function createPatientCall(what: string, { totalMs }: SigningLimits): Breaker {
  const breaker = createBreaker(what);
  const callPatiently = <T>(call: () => Promise<T>): Promise<T> =>
    breaker(async () => {
      const ended = new AbortController();
      const answer = pRetry(call, {
        retries: retriesMax,
        minTimeout: pauseMs.min,
        maxTimeout: pauseMs.max,
        randomize: true,
        shouldRetry: ({ error }) => error instanceof ProviderUnavailable,
        signal: ended.signal,
      });
      const message = new ProviderUnavailable(`${what} did not answer within ${totalMs} ms`);
      try {
        return await pTimeout(answer, { milliseconds: totalMs, message });
      } finally {
        ended.abort(message);
      }
    });
  return Object.assign(callPatiently, { isOpen: breaker.isOpen });
}
