import type { Tx } from "@cardkeep/db/client";
import { findFormerEmail } from "@cardkeep/db/queries/users/contactChanges";
import { validatePhone } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { readyOrders } from "../../cards/orders/readyOrders.ts";
import { type Contact, openContactWindow } from "../../core/cardholders/contactWindow.ts";
import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { Context, Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { getUserResource } from "../../users/users/user.ts";

/**
 * Validates the number that a locked user has. One that replaces another proven number opens the window of
 * `contactWindow.ts`, and the user gets a message at the former number and by mail. False when another user validated it first.
 */
export async function settlePhone(
  { policy }: Pick<Context, "policy">,
  work: Work,
  { id: userId, ...contact }: Contact & { id: string },
): Promise<boolean> {
  const { tx, now, requestId } = work;
  const opened = openContactWindow(contact, policy, now);
  const isHeld = !opened.contactChangedAt && (await isOfMail(tx, userId, contact));
  const change = isHeld ? {} : opened;
  if (!(await validatePhone(tx, userId, change))) return false;
  if (change.contactChangedAt) {
    await enqueue(tx, "phone.mail", { userId, requestId });
    await enqueue(tx, "phone.sms", { userId, requestId });
  }
  await enqueueCardholderSync(work, userId);
  await readyOrders(work, userId);
  await publish(work, "kyc.phone-validation.changed", userId, await getUserResource(tx, userId, policy.chainId));
  return true;
}

/** Whether the mail address was changed since the window began: then the former number does not end it, because a thief may have the SIM. */
const isOfMail = async (tx: Tx, userId: string, { contactChangedAt }: Contact): Promise<boolean> =>
  contactChangedAt !== null && (await findFormerEmail(tx, userId, contactChangedAt)) !== null;
