/**
 * The links of the client: each call passes them in order, and its answer in the opposite one.
 *
 * - idempotency key: names one mutation, so that the service carries it out once however often it is sent.
 */
import type { AppRouter } from "@cardkeep/contract/routes";
import {
  httpBatchLink,
  httpLink,
  type Operation,
  type OperationContext,
  retryLink,
  splitLink,
  type TRPCLink,
} from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { CardkeepClientError } from "./errors.ts";

/** The service takes at most so many calls in one request. */
const batchSizeMax = 10;

const backOffMsMin = 250;
const backOffMsMax = 10_000;

const keyOf = ({ idempotencyKey }: OperationContext): string | null =>
  typeof idempotencyKey === "string" ? idempotencyKey : null;

/** Throws every failure as a `CardkeepClientError`. */
export const errorLink: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) =>
      next(op).subscribe({
        ...observer,
        error: (error) => observer.error(new CardkeepClientError(error)),
      }),
    );

/**
 * Sends a call again after a failure that may pass: no answer, 429, 503, or an idempotency key that is in use.
 * A mutation without an idempotency key is never sent again. Waits as long as `Retry-After` says, at least 250 ms,
 * doubled with each attempt, with jitter. Gives up where `Retry-After` says more than 10 s: the caller can wait better.
 */
export function createRetryLink(retries: number): TRPCLink<AppRouter> {
  let waitMs = 0;
  return retryLink<AppRouter>({
    retry: ({ op, error, attempts }) => {
      if (attempts > retries || !isRepeatable(op)) return false;
      const { code, retryAfterSeconds } = new CardkeepClientError(error);
      if (!retriedCodes.includes(code)) return false;
      const backOffMs = backOffMsMin * 2 ** (attempts - 1) * (1 + Math.random());
      waitMs = Math.max(Math.min(backOffMsMax, backOffMs), (retryAfterSeconds ?? 0) * 1000);
      return waitMs <= backOffMsMax;
    },
    // It is asked right after `retry`, within the same tick.
    retryDelayMs: () => waitMs,
  });
}

const retriedCodes: readonly CardkeepClientError["code"][] = [
  "client.unreachable",
  "server.unavailable",
  "request.rate_limited",
  "idempotency.in_flight",
];

const isRepeatable = ({ type, context, signal }: Operation): boolean =>
  !signal?.aborted && (type === "query" || keyOf(context) !== null);

/** Proxies answer 414 to a request line above 8 KiB; some have less for it and the headers together. */
const urlLengthMax = 4_096;
/** A longer input travels alone: a batch of it alone would be refused here, and a batch with a file by the service. */
const inputLengthMax = 2_048;

const isAlone = ({ type, context, input }: Operation): boolean => {
  const text = JSON.stringify(input) ?? "";
  return keyOf(context) !== null || (type === "query" ? encodeURIComponent(text) : text).length > inputLengthMax;
};

/** Sends calls of one tick together, and a call with an idempotency key or a long input in a request of its own. */
export const createHttpLink = (url: string, authorize: () => Promise<Record<string, string>>): TRPCLink<AppRouter> =>
  splitLink({
    condition: isAlone,
    true: httpLink({
      url,
      headers: async ({ op }) => {
        const key = keyOf(op.context);
        return { ...(await authorize()), ...(key !== null && { "Idempotency-Key": key }) };
      },
    }),
    false: httpBatchLink({ url, maxItems: batchSizeMax, maxURLLength: urlLengthMax, headers: authorize }),
  });
