/** What an operator does about a person's contacts: asks for a change, or takes it back. */
import { fail } from "@cardkeep/contract/core/errors";
import {
  type ContactChange,
  endOpenContactChange,
  insertContactChange,
} from "@cardkeep/db/queries/users/contactChanges";
import { findPhoneHolder, findUserByEmail, lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type ContactKind, contactKinds } from "@cardkeep/db/schema/users/users";
import { generateSecret, hashSecret } from "../../core/secrets/randomSecret.ts";
import { isContactNew } from "../../core/cardholders/contactWindow.ts";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
import { contactOf, linkMs, listReceivers, parseContact } from "./contactChange.ts";

const isKind = (word: string): word is ContactKind => contactKinds.some((kind) => kind === word);

/** What an operator may know of a change. */
export type ShownChange = Omit<ContactChange, "tokenHash">;

/**
 * Asks a person to change a contact; an earlier request of the person is withdrawn. Nothing changes before the person agrees.
 *
 * @throws operators.reason_required, users.not_found, users.deactivated, users.contact_invalid, users.contact_taken,
 *   users.contact_new, users.no_contact
 */
export async function requestContactChange(
  ctx: OperatorContext,
  { reference, kind, value: given }: { reference: string; kind: string; value: string },
): Promise<ShownChange> {
  if (ctx.reason === null) fail("operators.reason_required");
  const { id: userId } = await resolveUser(ctx.db, reference);
  if (!isKind(kind)) return fail("users.contact_invalid");
  const value = parseContact(kind, given) ?? fail("users.contact_invalid");
  return ctx.act("users.change-contact", async (work) => {
    const { tx, now, requestId } = work;
    const user = await lockUser(tx, userId);
    if (!user || user.erasedAt !== null) return fail("users.not_found");
    if (user.status !== "ACTIVE") fail("users.deactivated");
    const former = contactOf(user, kind) ?? fail("users.no_contact");
    const holder = kind === "email" ? await findUserByEmail(tx, value) : await findPhoneHolder(tx, value);
    // An address that another person never proved goes to the one who proves it.
    const isFree = holder === null || (kind === "email" && holder.id !== userId && holder.emailProvenAt === null);
    if (!isFree || value === former) fail("users.contact_taken");
    // A thief who has just replaced one contact does not get at the next one by a talk with support.
    if (isContactNew(user, now)) fail("users.contact_new");
    if ((await listReceivers(tx, user, kind, now)).length === 0) fail("users.no_contact");
    await endOpenContactChange(tx, userId, { endedAt: now, outcome: "withdrawn" });
    const row: ContactChange = {
      id: generateId(),
      userId,
      kind,
      former,
      value,
      // No message has this token: the job that sends the link makes another one.
      tokenHash: hashSecret(generateSecret()),
      operator: ctx.actor.name,
      requestId,
      createdAt: now,
      expiresAt: new Date(now.getTime() + linkMs),
      confirmedAt: null,
      endedAt: null,
      outcome: null,
    };
    await insertContactChange(tx, row);
    await enqueue(tx, "contact.link", { changeId: row.id, requestId });
    await enqueue(tx, "contact.others", { changeId: row.id, requestId });
    const { tokenHash: _, ...output } = row;
    return { output, subject: { kind: "user", id: userId }, before: null, after: { changeId: row.id, contact: kind } };
  });
}

/** Takes back the open request of a person: its link serves no more. @throws users.not_found, users.no_change */
export async function withdrawContactChange(
  ctx: OperatorContext,
  { reference }: { reference: string },
): Promise<ShownChange> {
  const { id: userId } = await resolveUser(ctx.db, reference);
  return ctx.act("users.withdraw-contact", async ({ tx, now }) => {
    if (!(await lockUser(tx, userId))) fail("users.not_found");
    const ended = await endOpenContactChange(tx, userId, { endedAt: now, outcome: "withdrawn" });
    const { tokenHash: _, ...output } = ended ?? fail("users.no_change");
    return { output, subject: { kind: "user", id: userId }, before: { changeId: output.id }, after: null };
  });
}
