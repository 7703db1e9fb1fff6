import { fail } from "@cardkeep/contract/errors";
import { findUser, lockUser, validatePhone } from "@cardkeep/db/queries/users";
import { checkCode } from "../codes/reserveCode.ts";
import { phoneCodes } from "../codes/policy.ts";
import type { Commit, UserContext } from "../context.ts";
import { publish } from "../publish.ts";
import { readyOrders } from "../orders/readyOrders.ts";
import { getUserResource } from "../users/user.ts";

/**
 * Validates the user's phone number with the code that was sent to it.
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
    const { tx, now } = work;
    const locked = await lockUser(tx, userId);
    if (locked?.phone !== phone || !(await useCode(tx, now))) fail("phone.wrong_code");
    if (!(await validatePhone(tx, userId))) fail("phone.wrong_code");
    await readyOrders(work, userId);
    const resource = await getUserResource(tx, userId, ctx.rules.chainId);
    await publish(work, "kyc.phone-validation.changed", userId, resource);
    return { ok: true };
  };
}
