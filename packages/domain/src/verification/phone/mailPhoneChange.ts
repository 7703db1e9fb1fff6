/** Messages about a changed phone number, so that its owner notices a thief. Each way is a job: one may fail alone. */
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { isFormerPhoneLost } from "../../core/cardholders/contactWindow.ts";
import type { WorkerContext } from "../../core/context.ts";
import { composeMail, composeText, languageOf } from "../../core/messages/composeMessage.ts";
import { leaveOutRefused } from "../../core/messages/leaveOutRefused.ts";

/** Mails a user that the phone number was changed. @throws ProviderUnavailable; the job is run again */
export async function mailPhoneChange(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const user = await findChanged(ctx, userId);
  if (user === null) return;
  const values = describeChange(ctx, user);
  const mail = composeMail(ctx, languageOf(ctx, user), "phoneChanged", { values });
  await leaveOutRefused(ctx, { userId }, ctx.mailer.send({ to: user.email, ...mail }));
}

/** Sends the same to the former number. @throws ProviderUnavailable; the job is run again */
export async function sendPhoneChange(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const user = await findChanged(ctx, userId);
  if (user?.formerPhone == null || (await isFormerPhoneLost(ctx.db, user))) return;
  const text = composeText(ctx, languageOf(ctx, user), "phoneChanged", { values: describeChange(ctx, user) });
  await leaveOutRefused(ctx, { userId }, ctx.sms.send({ to: user.formerPhone, text }));
}

async function findChanged({ db }: WorkerContext, userId: string): Promise<User | null> {
  const user = await findUser(db, userId);
  // The owner may have proved the former number again meanwhile.
  const isChanged = user !== null && user.contactChangedAt !== null && user.phone !== user.formerPhone;
  return isChanged && user.erasedAt === null ? user : null;
}

const describeChange = ({ policy }: WorkerContext, { phone }: User) => ({
  digits: phone?.slice(-3) ?? "",
  hours: policy.contactWindowHours,
});
