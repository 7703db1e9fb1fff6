/** The typed client: every operation as `noun.verb`, with inputs and outputs as they travel. */
import type { AppRouter } from "@cardkeep/contract/routes";
import { createTRPCClient, type TRPCClient } from "@trpc/client";
import { createHttpLink, createRetryLink, errorLink } from "./links.ts";

export type CardkeepClient = TRPCClient<AppRouter>;

type Token = string | null | undefined;

export interface CardkeepClientOptions {
  /** Origin of the service, without a path. */
  readonly url: string;
  /** The access token, or a function that answers the current one. */
  readonly token?: Token | (() => Token | Promise<Token>);
  /** How often a call is sent again after a failure that may pass; 2 unless named. */
  readonly retries?: number;
}

/**
 * Makes a client of the service at `url`; calls of the same tick travel together. Runs in Bun, Node and browsers.
 *
 * A failed call throws `CardkeepClientError`. Queries, and mutations with an idempotency key, are sent again after
 * failures that may pass: `withdraw.mutate(input, once(key))`.
 *
 * @example
 * import { createCardkeepClient } from "@cardkeep/client";
 *
 * const client = createCardkeepClient({ url: "http://localhost:3000", token });
 * const { spendable } = await client.accounts.balances.query();
 */
export function createCardkeepClient({ url, token, retries = 2 }: CardkeepClientOptions): CardkeepClient {
  const authorize = async (): Promise<Record<string, string>> => {
    const current = typeof token === "function" ? await token() : token;
    return current ? { Authorization: `Bearer ${current}` } : {};
  };
  return createTRPCClient<AppRouter>({
    links: [errorLink, createRetryLink(retries), createHttpLink(new URL("/trpc", url).href, authorize)],
  });
}

/**
 * The option that gives one mutation its `Idempotency-Key`. A repeated call with it gets the same answer.
 *
 * @example
 * import { createCardkeepClient, once } from "@cardkeep/client";
 *
 * const client = createCardkeepClient({ url: "http://localhost:3000", token });
 * const key = once(crypto.randomUUID());
 * const { cardToken } = await client.cards.createVirtual.mutate(undefined, key);
 */
export const once = (idempotencyKey: string): { context: { idempotencyKey: string } } => ({
  context: { idempotencyKey },
});
