/**
 * The time after a change of a proven phone number, or of a mail address by support. A thief who holds a session, and has proved a number of their own,
 * learns no card's secrets in it, and the issuer keeps the former number: the owner has a message, and can act.
 */
import { hourMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor } from "@cardkeep/db/client";
import { findPhoneHolder, findUser, type User } from "@cardkeep/db/queries/users/users";
import type { Services } from "../services.ts";

/** Of a user what decides whether the window is open, and which number counts at the issuer. */
export type Contact = Pick<
  User,
  "phone" | "isPhoneValidated" | "formerPhone" | "contactChangedAt" | "contactSettlesAt"
>;

/** Whether a contact was replaced so recently that the window is open. */
export const isContactNew = ({ contactSettlesAt }: Pick<Contact, "contactSettlesAt">, now: Date): boolean =>
  contactSettlesAt !== null && contactSettlesAt > now;

/** The number that the issuer may send codes to: the former one while a new one is not proven, or the window is open. */
export const phoneAtIssuer = (contact: Contact, now: Date): string | null =>
  contact.formerPhone !== null && (!contact.isPhoneValidated || isContactNew(contact, now))
    ? contact.formerPhone
    : contact.phone;

/**
 * The phone number that the person proved; while a newer one is unproven or the window is open, the one before it. Null where
 * there is none, or another person has proved that one since.
 */
export async function findProvenPhone(on: Executor, user: User, now: Date): Promise<string | null> {
  const counted = user.isPhoneValidated || user.formerPhone !== null ? phoneAtIssuer(user, now) : null;
  return counted === user.formerPhone && (await isFormerPhoneLost(on, user)) ? null : counted;
}

/** Whether another user has proved the former number since. */
export async function isFormerPhoneLost(
  on: Executor,
  { id, formerPhone }: Pick<User, "id" | "formerPhone">,
): Promise<boolean> {
  const holder = formerPhone === null ? null : await findPhoneHolder(on, formerPhone);
  return holder !== null && holder.id !== id;
}

/** The change of a user whose number is about to be replaced by an unproven one. */
export const keepFormerPhone = (before: Contact, now: Date): Pick<User, "formerPhone"> => ({
  formerPhone: before.isPhoneValidated && !isContactNew(before, now) ? before.phone : before.formerPhone,
});

/** The change of a user who proved a number: another one than before opens the window, the former one again closes it, but see `settlePhone.ts`. */
export function openContactWindow(
  contact: Contact,
  policy: { contactWindowHours: number },
  now: Date,
): Partial<Pick<User, "contactChangedAt" | "contactSettlesAt">> {
  if (contact.formerPhone === null) return {};
  if (contact.formerPhone !== contact.phone) return windowFrom(contact, policy, now);
  // Its beginning stays: what a thief made in it is found later.
  return isContactNew(contact, now) ? { contactSettlesAt: now } : {};
}

/** A window up to so long from now. A further change keeps its beginning, also behind an owner's repair. */
export const windowFrom = (
  { contactChangedAt: begunAt, contactSettlesAt }: Pick<Contact, "contactChangedAt" | "contactSettlesAt">,
  policy: { contactWindowHours: number },
  now: Date,
): { contactChangedAt: Date; contactSettlesAt: Date } => {
  const mayHideToken =
    begunAt !== null && mayTokenBeHidden({ changedAt: begunAt, settlesAt: contactSettlesAt }, policy, now);
  return {
    contactChangedAt: mayHideToken ? begunAt : now,
    contactSettlesAt: new Date(now.getTime() + policy.contactWindowHours * hourMs),
  };
};

/**
 * Whether a wallet token that a thief made in the window may still be unknown here, because its callback is late: until
 * the window's end, or the one that it had before the owner's repair.
 */
export const mayTokenBeHidden = (
  { changedAt, settlesAt }: { changedAt: Date; settlesAt: Date | null },
  { contactWindowHours }: { contactWindowHours: number },
  now: Date,
): boolean => Math.max(settlesAt?.getTime() ?? 0, changedAt.getTime() + contactWindowHours * hourMs) > now.getTime();

/** Refuses what would show or make a card's number, PIN or wallet token. @throws cards.contact_changed */
export async function requireSettledContact(
  { clock }: Pick<Services, "clock">,
  on: Executor,
  userId: string,
): Promise<void> {
  const user = await findUser(on, userId);
  if (user && isContactNew(user, await clock.now(on))) fail("cards.contact_changed");
}
