import { fail } from "@cardkeep/contract/core/errors";
import type { ContactChange } from "@cardkeep/db/queries/users/contactChanges";
import { replaceEmail, updateUser, type User } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { keepFormerPhone, windowFrom } from "../../core/cardholders/contactWindow.ts";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { Context, Work } from "../../core/context.ts";
import { settlePhone } from "../phone/settlePhone.ts";

/**
 * Replaces a contact of a locked user, and opens the window of `contactWindow.ts`: what a thief would do with the new contact
 * waits, and the former contact hears of it.
 *
 * @throws users.contact_taken
 */
export async function replaceContact(
  ctx: Pick<Context, "policy">,
  work: Work,
  user: User,
  { id, kind, value }: Pick<ContactChange, "id" | "kind" | "value">,
): Promise<void> {
  const { tx, now, requestId } = work;
  const kept = keepFormerPhone(user, now);
  if (kind === "phone") {
    await updateUser(tx, user.id, { phone: value, isPhoneValidated: false, ...kept });
    const isSettled = await settlePhone(ctx, work, { ...user, ...kept, phone: value });
    return isSettled ? undefined : fail("users.contact_taken");
  }
  // The window keeps the proven number at the issuer: a thief who replaces it within the window gets no code there.
  const change = { email: value, emailProvenAt: now, ...kept, ...windowFrom(user, ctx.policy, now) };
  if (!(await replaceEmail(tx, user.id, change))) fail("users.contact_taken");
  await enqueue(tx, "contact.mail", { changeId: id, requestId });
  await enqueueCardholderSync(work, user.id);
}
