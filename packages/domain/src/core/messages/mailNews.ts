/**
 * Mails about one payment or card of a person. An unproven address may be a stranger's: it gets as many of them as it gets codes, and
 * learns no amount and no digits.
 */
import type { User } from "@cardkeep/db/queries/users/users";
import type { Jobs, Task } from "@cardkeep/db/queue/catalogue";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../context.ts";
import { composeMail, languageOf } from "./composeMessage.ts";
import { leaveOutRefused } from "./leaveOutRefused.ts";
import { takeUnprovenMail } from "./takeUnprovenMail.ts";

/**
 * Sends a job's mail. Where an unproven address has had its mails, the job is run again once it may have another one.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function mailNews<T extends Task>(
  ctx: WorkerContext,
  user: User,
  {
    about,
    mail,
    task,
    payload,
  }: {
    about: "payment" | "card";
    mail: ReturnType<typeof composeMail>;
    task: T;
    payload: Jobs[T];
  },
): Promise<void> {
  const { id: userId, email: to } = user;
  const isDiscreet = user.emailProvenAt === null;
  const waitMs = isDiscreet ? await takeUnprovenMail(ctx, userId) : 0;
  if (waitMs > 0) return enqueue(ctx.db, task, payload, waitMs);
  const sent = isDiscreet ? composeMail(ctx, languageOf(ctx, user), "news", { values: { kind: about } }) : mail;
  await leaveOutRefused(ctx, { userId }, ctx.mailer.send({ to, ...sent }));
}
