import { findUser } from "@cardkeep/db/queries/users";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { WorkerContext } from "../context.ts";

/**
 * Sends a user a message at the former number and by mail that the number was changed, so that the owner notices a thief.
 *
 * @throws ProviderUnavailable; the job is run again, and a message may come twice
 */
export async function mailPhoneChange(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const user = await findUser(ctx.db, userId);
  if (!user || user.erasedAt !== null || user.contactChangedAt === null || user.formerPhone === null) return;
  const { contactWindowHours: hours } = ctx.rules;
  const closed = `For ${hours} hours no card number or PIN is shown, no card is made or added to a wallet, and payments with a code are declined.`;
  const text = [
    `The phone number of your account was changed to one that ends in ${user.phone?.slice(-3) ?? ""}.`,
    ...(hours > 0 ? [closed] : []),
    "If this was not you, contact support at once.",
  ].join(" ");
  await ctx.mailer.send({ to: user.email, subject: "Your phone number was changed", text: `${text}\n` });
  await ctx.sms.send({ to: user.formerPhone, text }).catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ err: error, userId }, "the former phone number cannot be reached");
  });
}
