import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import pTimeout from "p-timeout";

/** The time limit of an answer, with all calls that it takes. A person waits for it. */
const answerMsMax = 4_500;

/** A partner's answer, in time. Its own error text is kept back. @throws the given code where the partner is away, slow or refuses */
export async function askInTime<T>(
  answer: Promise<T>,
  { partner, code }: { partner: string; code: ErrorCode },
): Promise<T> {
  try {
    const message = new ProviderUnavailable(`${partner} is slow`);
    return await pTimeout(answer, { milliseconds: answerMsMax, message });
  } catch (cause) {
    if (cause instanceof ProviderUnavailable || cause instanceof ProviderRefused) fail(code, { cause });
    throw cause;
  }
}
