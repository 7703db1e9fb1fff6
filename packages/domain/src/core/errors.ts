/** What a thrown value means to a caller: an error of the catalogue, a part that does not answer, or a bug. */
import { ChainUnavailable, SignerFailed } from "@cardkeep/chain/errors";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { isDatabaseUnavailable, nameDatabaseLimit } from "@cardkeep/db/errors";
import { ProviderUnavailable } from "@cardkeep/providers/http";

/** The node, the database, a signer or a partner did not answer, or a limit is reached. The same call may work in a moment. */
export const isUnavailable = (error: unknown): boolean =>
  (error instanceof CardkeepError && error.code === "server.unavailable") ||
  error instanceof ChainUnavailable ||
  error instanceof ProviderUnavailable ||
  error instanceof SignerFailed ||
  isDatabaseUnavailable(error);

/** The error of the catalogue that a caller receives for a thrown value: `server.internal` for a bug. */
export function toCardkeepError(error: unknown): CardkeepError {
  if (error instanceof CardkeepError) return error;
  return isUnavailable(error)
    ? new CardkeepError("server.unavailable", { cause: error })
    : new CardkeepError("server.internal", { cause: error });
}

/** What an operation with the answer 503 met: a part that is away, or one of our own limits by its name. */
export function nameLimit({ code, cause }: CardkeepError): string {
  if (code !== "server.unavailable") return "stop";
  if (cause instanceof ChainUnavailable) return "chain-away";
  if (cause instanceof ProviderUnavailable) return "partner-away";
  if (cause instanceof SignerFailed) return "signer-away";
  if (isDatabaseUnavailable(cause)) return nameDatabaseLimit(cause);
  return cause instanceof LimitReached ? cause.limit : "other";
}

/** A limit of this process, as the cause of an answer. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly limit: string;

  constructor(limit: string, message: string) {
    super(message);
    this.limit = limit;
  }
}
