/**
 * A change of a mail address or phone number that an operator asks for. The person alone carries it out: by a link that goes
 * to another contact of theirs, and by a code that goes to the new one.
 *
 * - former: the contact that is replaced. - value: what it is to be.
 */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { email } from "@cardkeep/contract/users/auth";
import type { ContactKind } from "@cardkeep/db/schema/users/users";
import type { User } from "@cardkeep/db/queries/users/users";
import type { ContactChange } from "@cardkeep/db/queries/users/contactChanges";
import { z } from "zod";
import type { Executor } from "@cardkeep/db/client";
import { findProvenPhone } from "../../core/cardholders/contactWindow.ts";

/** How long a link serves. */
export const linkMs = dayMs;
export const linkHours = linkMs / hourMs;

/** Path of the page that the link opens. */
export const contactPagePath = "/callbacks/contact";

const values: Record<ContactKind, z.ZodType<string>> = {
  email,
  phone: z.string().regex(/^\+[1-9]\d{6,14}$/),
};

/** A mail address, or a phone number in E.164 form; null for another text. */
export const parseContact = (kind: ContactKind, given: string): string | null =>
  values[kind].safeParse(given.trim()).data ?? null;

export const contactOf = (user: Pick<User, "email" | "phone">, kind: ContactKind): string | null => user[kind];

export interface Receiver {
  readonly way: ContactKind;
  readonly to: string;
}

/**
 * The person's proven contacts: the link goes to the first, a report without a link to the others. A former number that another
 * person has proved since is none.
 */
export async function listReceivers(on: Executor, user: User, kind: ContactKind, now: Date): Promise<Receiver[]> {
  const phone = await findProvenPhone(on, user, now);
  const mail: Receiver[] = user.emailProvenAt === null ? [] : [{ way: "email", to: user.email }];
  const sms: Receiver[] = phone === null ? [] : [{ way: "phone", to: phone }];
  // Who asks for a new contact has mostly lost the former one.
  return kind === "email" ? [...sms, ...mail] : [...mail, ...sms];
}

/** A contact as the page of the link shows it. */
export const maskContact = ({ kind, value }: Pick<ContactChange, "kind" | "value">): string =>
  kind === "email" ? value.replace(/^(.).*(@)/, "$1…$2") : `…${value.slice(-3)}`;

/** Whether a change may still be carried out for the person as the row is now. */
export const isUsable = (change: ContactChange, user: User | null, now: Date): boolean =>
  change.endedAt === null &&
  change.expiresAt > now &&
  user !== null &&
  user.erasedAt === null &&
  user.status === "ACTIVE" &&
  contactOf(user, change.kind) === change.former;
