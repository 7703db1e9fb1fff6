/** Messages about a changed phone number, so that its owner notices a thief. Each way is a job: one may fail alone. */
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { WorkerContext } from "../../core/context.ts";

/** Mails a user that the phone number was changed. @throws ProviderUnavailable; the job is run again */
export async function mailPhoneChange(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const user = await findChanged(ctx, userId);
  if (user === null) return;
  const text = `${describeChange(ctx, user)}\n`;
  await ctx.mailer.send({ to: user.email, subject: "Your phone number was changed", text });
}

/** Sends the same to the former number. @throws ProviderUnavailable; the job is run again */
export async function sendPhoneChange(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const user = await findChanged(ctx, userId);
  if (user?.formerPhone == null) return;
  await ctx.sms.send({ to: user.formerPhone, text: describeChange(ctx, user) }).catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error;
    ctx.log.warn({ err: error, userId }, "the former phone number cannot be reached");
  });
}

async function findChanged({ db }: WorkerContext, userId: string): Promise<User | null> {
  const user = await findUser(db, userId);
  return user && user.erasedAt === null && user.contactChangedAt !== null ? user : null;
}

function describeChange({ rules }: WorkerContext, { phone }: User): string {
  const { contactWindowHours: hours } = rules;
  const closed = `For ${hours} hours no card number or PIN is shown, no card is made or added to a wallet, and payments with a code are declined.`;
  return [
    `The phone number of your account was changed to one that ends in ${phone?.slice(-3) ?? ""}.`,
    ...(hours > 0 ? [closed] : []),
    "If this was not you, contact support at once.",
  ].join(" ");
}
