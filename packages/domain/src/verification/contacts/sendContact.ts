/** Messages about a change of a contact. Each way is a job: one may fail alone. */
import {
  type ContactChange,
  findContactChange,
  updateOpenContactChange,
} from "@cardkeep/db/queries/users/contactChanges";
import { findUser, lockUser, type User } from "@cardkeep/db/queries/users/users";
import { publicUrlOf } from "../../core/publicUrl.ts";
import { generateSecret, hashSecret } from "../../core/secrets/randomSecret.ts";
import type { WorkerContext } from "../../core/context.ts";
import { composeMail, composeText, languageOf, type MailName } from "../../core/messages/composeMessage.ts";
import { leaveOutRefused } from "../../core/messages/leaveOutRefused.ts";
import type { TextValues } from "../../core/languages/languages.ts";
import { contactPagePath, isUsable, linkHours, listReceivers, type Receiver } from "./contactChange.ts";

/**
 * Sends the link of a change. Each run makes a new token, so that none has to be stored: the newest link alone serves.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function sendContactLink(ctx: WorkerContext, { changeId }: { changeId: string }): Promise<void> {
  const token = generateSecret();
  const known = await findContactChange(ctx.db, changeId);
  if (!known) return;
  const found = await ctx.commit(async ({ tx, now }) => {
    const user = await lockUser(tx, known.userId);
    const change = await findContactChange(tx, changeId);
    if (!change || !user || !isUsable(change, user, now) || change.confirmedAt !== null) return null;
    const [receiver] = await listReceivers(tx, user, change.kind, now);
    if (!receiver || !(await updateOpenContactChange(tx, changeId, { tokenHash: hashSecret(token) }))) return null;
    return { user, change, receiver };
  });
  if (found === null) return;
  const url = publicUrlOf(ctx.policy.publicUrl, `${contactPagePath}?${new URLSearchParams({ token })}`);
  const values = { kind: found.change.kind, url, hours: linkHours };
  await send(ctx, found.user, found.receiver, "contactLink", values);
}

/** Reports to the person's other contacts that a change was asked for, without a link. @throws ProviderUnavailable */
export async function reportToOthers(ctx: WorkerContext, { changeId }: { changeId: string }): Promise<void> {
  const change = await findContactChange(ctx.db, changeId);
  const user = change && (await findUser(ctx.db, change.userId));
  const now = await ctx.clock.now(ctx.db);
  if (!change || !user || !isUsable(change, user, now)) return;
  const [, ...others] = await listReceivers(ctx.db, user, change.kind, now);
  for (const other of others) await send(ctx, user, other, "contactAsked", { kind: change.kind });
}

/** Mails a replaced address that it was replaced. @throws ProviderUnavailable */
export async function mailContactChange(ctx: WorkerContext, { changeId }: { changeId: string }): Promise<void> {
  const change = await findContactChange(ctx.db, changeId);
  const user = change && (await findUser(ctx.db, change.userId));
  if (!change || !user || user.erasedAt !== null || change.outcome !== "changed") return;
  const values = { hours: ctx.policy.contactWindowHours };
  await send(ctx, user, formerOf(change), "emailChanged", values);
}

const formerOf = ({ kind, former }: ContactChange): Receiver => ({ way: kind, to: former });

async function send(ctx: WorkerContext, user: User, { way, to }: Receiver, name: MailName, values: TextValues) {
  const language = languageOf(ctx, user);
  const sending =
    way === "email"
      ? ctx.mailer.send({ to, ...composeMail(ctx, language, name, { values }) })
      : ctx.sms.send({ to, text: composeText(ctx, language, name, { values }) });
  await leaveOutRefused(ctx, { userId: user.id, way }, sending);
}
