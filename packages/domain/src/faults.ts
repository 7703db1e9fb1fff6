/** What a thrown value means to whoever called: told as it stands, worth another try, or a bug. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { CardkeepError } from "@cardkeep/contract/errors";
import { isDatabaseUnavailable } from "@cardkeep/db/faults";
import { ProviderUnavailable } from "@cardkeep/providers/http";

/** Somebody we depend on did not answer; the same call may work in a moment. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof ChainUnavailable || error instanceof ProviderUnavailable || isDatabaseUnavailable(error);

/** The catalogued fault a thrown value is told as; a bug is told as `server.internal` and nothing more. */
export function toFault(error: unknown): CardkeepError {
  if (error instanceof CardkeepError) return error;
  return isUnavailable(error)
    ? new CardkeepError("server.unavailable", { cause: error })
    : new CardkeepError("server.internal", { cause: error });
}
