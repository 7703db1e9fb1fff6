import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { findPhoneHolder, findUser, updateUser } from "@cardkeep/db/queries/users/users";
import { ProviderRefused } from "@cardkeep/providers/http";
import { phoneCodes } from "../../core/codes/policy.ts";
import { giveBackCode, reserveCode } from "../../core/codes/reserveCode.ts";
import { keepFormerPhone } from "../../core/cardholders/contactWindow.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { lockActor } from "../../core/lockActor.ts";
import { composeText, languageOf } from "../../core/messages/composeMessage.ts";
import { publish } from "../../core/publish.ts";
import { getUserResource } from "../../users/users/user.ts";

/** What the gateway answers to a number that it cannot reach. */
const badRequest = 400;

const minutes = phoneCodes.lifetimeMs / 60_000;

/**
 * Sends a six-digit code, valid for 10 minutes and 5 tries, to a number that replaces the user's earlier one.
 *
 * @throws phone.kyc_required, phone.taken when this or another user validated the number, phone.invalid when the
 * gateway knows no such number, phone.provider_unavailable, idempotency.in_flight,
 * request.rate_limited beyond five sends an hour to one number or of one user
 */
export async function startPhoneCheck(
  ctx: UserContext,
  { phoneNumber }: { phoneNumber: string },
): Promise<Commit<{ ok: boolean }>> {
  const { userId } = ctx.actor;
  const user = (await findUser(ctx.db, userId)) ?? fail("auth.token_invalid");
  if (user.kycStatus !== "approved") fail("phone.kyc_required");
  const holder = await findPhoneHolder(ctx.db, phoneNumber);
  if (holder?.id === userId) fail("phone.taken");
  const reserved = await reserveCode(ctx, phoneCodes, { subject: userId, receiver: phoneNumber });
  // Only now: asking which numbers are known costs as much as a code.
  if (holder) {
    const taken = new CardkeepError("phone.taken");
    await giveBackCode(ctx, reserved, taken);
    throw taken;
  }

  const text = composeText(ctx, languageOf(ctx, user), "code.phone", { values: { minutes }, code: reserved.code });
  await ctx.sms.send({ to: phoneNumber, text }).catch(async (cause: unknown) => {
    const again = await giveBackCode(ctx, reserved, cause);
    if (cause instanceof ProviderRefused && cause.status === badRequest) fail("phone.invalid", { cause });
    fail("phone.provider_unavailable", { cause, ...again });
  });
  return async (work) => {
    const { tx, now } = work;
    const before = await lockActor(tx, ctx.actor);
    const kept = keepFormerPhone(before, now);
    await updateUser(tx, userId, { phone: phoneNumber, isPhoneValidated: false, ...kept });
    if (before.isPhoneValidated) {
      const resource = await getUserResource(tx, userId, ctx.policy.chainId);
      await publish(work, "kyc.phone-validation.changed", userId, resource);
    }
    return { ok: true };
  };
}
