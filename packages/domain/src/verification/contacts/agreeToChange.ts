/** What the person does on the page of the link: agrees or refuses, then enters the code that went to the new contact. */
import { fail } from "@cardkeep/contract/core/errors";
import {
  type ContactChange,
  findContactChange,
  findContactChangeByToken,
  updateOpenContactChange,
} from "@cardkeep/db/queries/users/contactChanges";
import { findUser, findUserByEmail, lockUsers, type User } from "@cardkeep/db/queries/users/users";
import { ProviderRefused } from "@cardkeep/providers/http";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import { checkCode, giveBackCode, isCodeAwaited, reserveCode } from "../../core/codes/reserveCode.ts";
import { type CodePolicy, emailCodes, phoneCodes } from "../../core/codes/policy.ts";
import type { CommitContext, Context } from "../../core/context.ts";
import { lockUserEach } from "../../core/lockUserEach.ts";
import { composeMail, composeText, languageOf } from "../../core/messages/composeMessage.ts";
import { releaseEmail } from "../../users/users/releaseEmail.ts";
import { isUsable, maskContact } from "./contactChange.ts";
import { replaceContact } from "./replaceContact.ts";

/** What the page shows next. `expired`: the link is unknown, used, old, or the person is gone or blocked. */
export type ContactStep =
  | { readonly kind: "expired"; readonly language: string | null }
  | { readonly kind: "ask" | "code"; readonly change: ShownContact; readonly fault: "wrong" | "unreachable" | null }
  | { readonly kind: "changed" | "refused"; readonly language: string | null };

export interface ShownContact {
  readonly contact: ContactChange["kind"];
  readonly masked: string;
  readonly language: string | null;
}

interface Found {
  readonly change: ContactChange;
  readonly user: User;
}

async function findUsable(ctx: Context, token: string): Promise<Found | null> {
  const change = token === "" ? null : await findContactChangeByToken(ctx.db, hashSecret(token));
  const user = change && (await findUser(ctx.db, change.userId));
  return change && user && isUsable(change, user, await ctx.clock.now(ctx.db)) ? { change, user } : null;
}

const expired: ContactStep = { kind: "expired", language: null };
const show = (
  kind: "ask" | "code",
  { change, user }: Found,
  fault: "wrong" | "unreachable" | null = null,
): ContactStep => ({
  kind,
  fault,
  change: { contact: change.kind, masked: maskContact(change), language: user.language },
});

/** The page as the link opens it. Nothing changes: scanners of mails open links too. */
export async function showContactStep(ctx: Context, token: string): Promise<ContactStep> {
  const found = await findUsable(ctx, token);
  if (found === null) return expired;
  const { change } = found;
  const isAwaited = change.confirmedAt !== null && (await isCodeAwaited(ctx, ...codesOf(change)));
  return show(isAwaited ? "code" : "ask", found);
}

/** The codes of a kind, with subject and receiver. */
const codesOf = ({ kind, userId, value }: ContactChange): [CodePolicy, { subject: string; receiver: string }] => [
  kind === "email" ? emailCodes : phoneCodes,
  { subject: userId, receiver: kind === "email" ? value.toLowerCase() : value },
];

/** The person agrees: a code goes to the new contact, so that it is the person's. @throws request.rate_limited */
export async function agreeToChange(ctx: CommitContext, token: string): Promise<ContactStep> {
  const found = await findUsable(ctx, token);
  if (found === null) return expired;
  const { change, user } = found;
  const held = lockUserEach(ctx, { userId: user.id });
  const isOpen = await held.commit(({ tx, now }) => updateOpenContactChange(tx, change.id, { confirmedAt: now }));
  if (!isOpen) return expired;
  const [policy, parties] = codesOf(change);
  const reserved = await reserveCode(held, policy, parties);
  const { code } = reserved;
  const values = { minutes: policy.lifetimeMs / 60_000 };
  const language = languageOf(ctx, user);
  try {
    await (change.kind === "email"
      ? ctx.mailer.send({ to: change.value, ...composeMail(ctx, language, "code.contact", { values, code }) })
      : ctx.sms.send({ to: change.value, text: composeText(ctx, language, "code.phone", { values, code }) }));
  } catch (cause) {
    const again = await giveBackCode(held, reserved, cause);
    if (cause instanceof ProviderRefused) return show("ask", found, "unreachable");
    fail("server.unavailable", { cause, ...again });
  }
  return show("code", found);
}

/** The person refuses: the link serves no more, and nothing changes. */
export async function refuseChange(ctx: CommitContext, token: string): Promise<ContactStep> {
  const found = await findUsable(ctx, token);
  if (found === null) return expired;
  const { change, user } = found;
  const isRefused = await lockUserEach(ctx, { userId: user.id }).commit(({ tx, now }) =>
    updateOpenContactChange(tx, change.id, { endedAt: now, outcome: "refused" }),
  );
  if (!isRefused) return expired;
  ctx.log.warn(
    { userId: user.id, changeId: change.id },
    "a person refused a change of a contact that support asked for",
  );
  return { kind: "refused", language: user.language };
}

/** The person proves the new contact by its code, and it replaces the former one. */
export async function proveContact(ctx: CommitContext, token: string, code: string): Promise<ContactStep> {
  const found = await findUsable(ctx, token);
  if (found === null || found.change.confirmedAt === null) return expired;
  const { change, user } = found;
  const useCode = await checkCode(ctx, ...codesOf(change), code);
  if (useCode === null) return show("code", found, "wrong");
  const isChanged = await ctx.commit(async (work) => {
    const { tx, now } = work;
    const holder = change.kind === "email" ? await findUserByEmail(tx, change.value) : null;
    await lockUsers(tx, [user.id, holder?.id ?? user.id]);
    const locked = await findUser(tx, user.id);
    const open = await findContactChange(tx, change.id);
    if (!locked || !open || !isUsable(open, locked, now) || !(await useCode(tx, now))) return false;
    await updateOpenContactChange(tx, change.id, { endedAt: now, outcome: "changed" });
    if (holder !== null && holder.id !== user.id) await releaseEmail(ctx, work, { id: holder.id, address: open.value });
    await replaceContact(ctx, work, locked, open);
    return true;
  });
  return isChanged ? { kind: "changed", language: user.language } : expired;
}
