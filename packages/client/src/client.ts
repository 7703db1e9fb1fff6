/**
 * The typed client: every operation as `noun.verb`, inputs and outputs as they travel.
 *
 * - token: the access token, or a function that gives the current one.
 * - idempotency key: names one mutation, so that sending it again does not carry it out again.
 */
import type { ErrorCode } from "@cardkeep/contract/errors";
import type { AppRouter } from "@cardkeep/contract/routes";
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  type OperationContext,
  splitLink,
  type TRPCClient,
  TRPCClientError,
} from "@trpc/client";

export type CardkeepClient = TRPCClient<AppRouter>;

type Token = string | null | undefined;

/** The server takes at most so many calls in one request. */
const batchSizeMax = 10;

const keyOf = ({ idempotencyKey }: OperationContext): string | null =>
  typeof idempotencyKey === "string" ? idempotencyKey : null;

/**
 * A client of the service at `url`, its origin without a path; calls made in the same tick travel together.
 *
 * A mutation takes its key as the last argument: `withdraw.mutate(input, once(key))`. Runs in Bun, in Node and in the browser.
 */
export function createCardkeepClient(input: {
  url: string;
  token?: Token | (() => Token | Promise<Token>);
}): CardkeepClient {
  const { token } = input;
  const url = new URL("/trpc", input.url).href;
  const authorize = async (): Promise<Record<string, string>> => {
    const current = typeof token === "function" ? await token() : token;
    return current ? { Authorization: `Bearer ${current}` } : {};
  };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        // A key belongs to one call, and so to a request of its own.
        condition: ({ context }) => keyOf(context) !== null,
        true: httpLink({
          url,
          headers: async ({ op }) => ({ ...(await authorize()), "Idempotency-Key": keyOf(op.context) ?? "" }),
        }),
        false: httpBatchLink({ url, maxItems: batchSizeMax, headers: authorize }),
      }),
    ],
  });
}

/** The option that gives one mutation its `Idempotency-Key`: sent again with it, the same answer comes back. */
export const once = (idempotencyKey: string): { context: { idempotencyKey: string } } => ({
  context: { idempotencyKey },
});

/** The catalogue's code of what a call was refused with; null when the service did not answer. */
export function findErrorCode(error: unknown): ErrorCode | null {
  if (!(error instanceof TRPCClientError)) return null;
  const data: unknown = error.data;
  // The service puts nothing else there.
  return typeof data === "object" && data !== null && "error" in data ? (data.error as ErrorCode) : null;
}
