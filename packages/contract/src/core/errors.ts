/** The error of a failed operation: catalogued, with what its answer adds. */
import { type ErrorCode, errors } from "./errorCatalogue.ts";

/** A limit of requests in a period, by its public name. */
export interface Quota {
  readonly name: string;
  readonly count: number;
  readonly withinSeconds: number;
}

export interface CardkeepErrorOptions {
  /** Replaces the catalogue's text if that is too general. */
  readonly text?: string;
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The exhausted quota; sent as the `RateLimit` headers. */
  readonly quota?: Quota;
  /** Sent beside the text, where the body's style has room for it. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An answer that a part or a partner is away, or that something is stopped, always says when to retry. */
export const retrySeconds = 5;
const retryStatuses: readonly number[] = [502, 503];

/** An error of the catalogue, which the caller receives. Every other thrown value is a bug and stays internal. */
export class CardkeepError extends Error {
  override readonly name = "CardkeepError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly quota: Quota | undefined;
  /** Sent beside the text, in the styles that have room for it; on tRPC it travels as `data.details`. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, options: CardkeepErrorOptions = {}) {
    super(options.text ?? errors[code].text, { cause: options.cause });
    this.code = code;
    this.status = errors[code].status;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (retryStatuses.includes(this.status) ? retrySeconds : undefined);
    this.quota = options.quota;
    this.details = options.details;
  }
}

/** Throws the error `code` of the catalogue. */
export function fail(code: ErrorCode, options: CardkeepErrorOptions = {}): never {
  throw new CardkeepError(code, options);
}
