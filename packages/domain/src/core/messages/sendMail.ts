import type { Mailer } from "@cardkeep/providers/mail/port";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { Services } from "../services.ts";
import type { Context } from "../context.ts";

/**
 * Sends a mail of a job. One that its receiver's server refuses for good is left out: no later attempt would change that, and
 * the log has whose it was.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function sendMail(
  { mailer, log }: Pick<Services, "mailer"> & Pick<Context, "log">,
  whose: { readonly userId: string } | { readonly partnerId: string },
  mail: Parameters<Mailer["send"]>[0],
): Promise<void> {
  await mailer.send(mail).catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error;
    log.warn({ err: error, ...whose }, "a mailbox cannot be reached");
  });
}
