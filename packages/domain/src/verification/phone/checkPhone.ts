import { fail } from "@cardkeep/contract/core/errors";
import { findUser } from "@cardkeep/db/queries/users/users";
import { checkCode } from "../../core/codes/reserveCode.ts";
import { phoneCodes } from "../../core/codes/policy.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { lockActor } from "../../core/lockActor.ts";
import { settlePhone } from "./settlePhone.ts";

/**
 * Validates the user's phone number with the code that was sent to it: see `settlePhone.ts`.
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
    const locked = await lockActor(tx, ctx.actor);
    if (locked.phone !== phone || !(await useCode(tx, now))) fail("phone.wrong_code");
    if (!(await settlePhone(ctx, work, locked))) fail("phone.wrong_code");
    return { ok: true };
  };
}
