import { emailCodes } from "../../core/codes/policy.ts";
import { reserveCode } from "../../core/codes/reserveCode.ts";
import type { Context } from "../../core/context.ts";
import { composeMail, languageOfRequest } from "../../core/messages/composeMessage.ts";
import { refuseUnsent } from "../../core/messages/refuseUnsent.ts";

const minutes = emailCodes.lifetimeMs / 60_000;

/**
 * Mails a six-digit code, valid for 5 minutes and 5 tries; an earlier one for the address is void.
 *
 * The answer is the same whether or not the address is registered.
 *
 * @throws request.rate_limited beyond one mail a minute or five an hour, auth.mail_unavailable
 */
export async function sendOtp(ctx: Context, input: { email: string }): Promise<{ ok: boolean }> {
  const address = input.email.toLowerCase();
  const reserved = await reserveCode(ctx, emailCodes, { subject: address, receiver: address });
  await ctx.mailer
    .send({
      to: input.email,
      ...composeMail(ctx, languageOfRequest(ctx), "code.signUp", { values: { minutes }, code: reserved.code }),
    })
    .catch((cause: unknown) => refuseUnsent(ctx, reserved, cause));
  return { ok: true };
}
