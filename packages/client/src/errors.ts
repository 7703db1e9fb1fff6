/**
 * What a failed call throws.
 *
 * - code: the catalogue's name of an error, `noun.fault`; the same on REST (`X-Error-Code`) and on tRPC (`data.error`).
 */
import { type ErrorCode, errorCodes } from "@cardkeep/contract/core/errorCatalogue";
import type { AppRouter } from "@cardkeep/contract/routes";
import { TRPCClientError } from "@trpc/client";

/** The code of a call that the service did not answer, or that something in between answered in its place. */
export type UnreachableCode = "client.unreachable";

/**
 * A failed call. `code` narrows: it is a code of the catalogue, or `client.unreachable`.
 *
 * @example
 * import { CardkeepClientError, createCardkeepClient } from "@cardkeep/client";
 *
 * const client = createCardkeepClient({ url: "http://localhost:3000", token });
 * const card = await client.cards.status.query({ cardId: "lost" }).catch((error: unknown) => {
 *   if (error instanceof CardkeepClientError && error.status === 404) return null;
 *   throw error;
 * });
 */
export class CardkeepClientError extends TRPCClientError<AppRouter> {
  readonly code: ErrorCode | UnreachableCode;
  /** The HTTP status; null without an answer of the service. */
  readonly status: number | null;
  /** Seconds after which the same call may succeed; null if the service names none. */
  readonly retryAfterSeconds: number | null;
  /** Names the request in the logs of the service; null without an answer. */
  readonly requestId: string | null;
  /** Fields beside the text; null if there are none. */
  readonly details: Readonly<Record<string, unknown>> | null;

  constructor(error: TRPCClientError<AppRouter>) {
    const { cause, meta, shape } = error;
    super(error.message, {
      ...(cause && { cause }),
      ...(meta && { meta }),
      ...(shape && { result: { error: shape } }),
    });
    // The class above sets the prototype to its own, so that `instanceof` would not find this one.
    Object.setPrototypeOf(this, CardkeepClientError.prototype);
    this.name = "CardkeepClientError";
    const response = meta?.["response"] instanceof Response ? meta["response"] : null;
    const headers = response?.headers;
    const retryAfter = headers?.get("retry-after") ?? "";
    // What is refused before its calls are read, such as a body that is too large, has no answer in the form of tRPC.
    const header = headers?.get("x-error-code") ?? "";
    const named = isCode(header) ? header : null;
    this.code = error.data?.error ?? named ?? "client.unreachable";
    this.status = error.data?.httpStatus ?? (named === null ? null : (response?.status ?? null));
    this.details = error.data?.details ?? null;
    this.retryAfterSeconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
    this.requestId = headers?.get("x-request-id") ?? null;
  }
}

const isCode = (name: string): name is ErrorCode => Object.hasOwn(errorCodes, name);

/**
 * The catalogue's code of a failed call; null if the service did not answer, and for every other thrown value.
 *
 * @example
 * import { createCardkeepClient, findErrorCode } from "@cardkeep/client";
 *
 * const client = createCardkeepClient({ url: "http://localhost:3000", token });
 * await client.cards.freeze.mutate({ cardId: "lost" }).catch((error: unknown) => {
 *   if (findErrorCode(error) !== "cards.not_found") throw error;
 * });
 */
export const findErrorCode = (error: unknown): ErrorCode | null =>
  error instanceof CardkeepClientError && error.code !== "client.unreachable" ? error.code : null;
