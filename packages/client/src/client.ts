/**
 * The typed client: every operation as `noun.verb`, inputs and outputs as they travel.
 *
 * - token: the access token, or a function that gives the current one.
 */
import type { ErrorCode } from "@cardkeep/contract/errors";
import type { AppRouter } from "@cardkeep/contract/routes";
import { createTRPCClient, httpBatchLink, type TRPCClient, TRPCClientError } from "@trpc/client";

export type CardkeepClient = TRPCClient<AppRouter>;

type Token = string | null | undefined;

/** The server takes at most so many calls in one request. */
const batchSizeMax = 10;

/**
 * A client of the service at `url`, its origin without a path; calls made in the same tick travel together.
 *
 * Runs in Bun, in Node and in the browser.
 */
export function createCardkeepClient(input: {
  url: string;
  token?: Token | (() => Token | Promise<Token>);
}): CardkeepClient {
  const { token } = input;
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: new URL("/trpc", input.url).href,
        maxItems: batchSizeMax,
        headers: async () => {
          const current = typeof token === "function" ? await token() : token;
          return current ? { Authorization: `Bearer ${current}` } : {};
        },
      }),
    ],
  });
}

/** The catalogue's code of what a call was refused with; null when the service did not answer. */
export function findErrorCode(error: unknown): ErrorCode | null {
  if (!(error instanceof TRPCClientError)) return null;
  const data: unknown = error.data;
  // The service puts nothing else there.
  return typeof data === "object" && data !== null && "error" in data ? (data.error as ErrorCode) : null;
}
