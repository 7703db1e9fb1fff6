import { fail } from "@cardkeep/contract/core/errors";
import { findUser, lockUser, validatePhone } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { openContactWindow } from "../../core/cardholders/contactWindow.ts";
import { followPerson } from "../../core/cardholders/syncCardholder.ts";
import { checkCode } from "../../core/codes/reserveCode.ts";
import { phoneCodes } from "../../core/codes/policy.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { readyOrders } from "../../cards/orders/readyOrders.ts";
import { getUserResource } from "../../users/users/user.ts";

/**
 * Validates the user's phone number with the code that was sent to it. One that replaces another proven number opens the
 * window of `contactWindow.ts`, and the user gets a message at the former number and by mail.
 *
 * @throws phone.missing, phone.wrong_code, also when another user's validation of the number came first
 */
export async function checkPhone(ctx: UserContext, { code }: { code: string }): Promise<Commit<{ ok: boolean }>> {
  const { userId } = ctx.actor;
  const user = (await findUser(ctx.db, userId)) ?? fail("auth.token_invalid");
  const phone = user.phone ?? fail("phone.missing");
  const useCode =
    (await checkCode(ctx, phoneCodes, { subject: userId, receiver: phone }, code)) ?? fail("phone.wrong_code");
  return async (work) => {
    const { tx, now, requestId } = work;
    const locked = await lockUser(tx, userId);
    if (locked?.phone !== phone || !(await useCode(tx, now))) fail("phone.wrong_code");
    const change = openContactWindow(locked, ctx.policy, now);
    if (!(await validatePhone(tx, userId, change))) fail("phone.wrong_code");
    if (change.contactChangedAt) {
      await enqueue(tx, "phone.mail", { userId, requestId });
      await enqueue(tx, "phone.sms", { userId, requestId });
    }
    await followPerson(work, userId);
    await readyOrders(work, userId);
    const resource = await getUserResource(tx, userId, ctx.policy.chainId);
    await publish(work, "kyc.phone-validation.changed", userId, resource);
    return { ok: true };
  };
}
