import { fail } from "@cardkeep/contract/errors";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";

/** What the identity provider answers; its own words about a failure stay inside. @throws kyc.provider_unavailable */
export async function askProvider<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof ProviderUnavailable || cause instanceof ProviderRefused)
      fail("kyc.provider_unavailable", { cause });
    throw cause;
  }
}
