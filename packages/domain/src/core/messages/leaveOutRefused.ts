import { ProviderRefused } from "@cardkeep/providers/http";
import type { Context } from "../context.ts";

/**
 * Waits until a mail or a text of a job is sent. One that its receiver's side refuses for good is left out: no later attempt
 * would change that, and the log has whose it was.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function leaveOutRefused(
  { log }: Pick<Context, "log">,
  whose: Readonly<Record<string, string>>,
  sending: Promise<void>,
): Promise<void> {
  await sending.catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error;
    log.warn({ err: error, ...whose }, "a message was refused");
  });
}
