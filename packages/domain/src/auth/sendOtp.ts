import { fail } from "@cardkeep/contract/errors";
import { insertOtp, listOtpTimes, lockOtpAddress } from "@cardkeep/db/queries/auth";
import type { Context } from "../context.ts";
import { generateId } from "../ids.ts";
import { generateOtp, hashOtp, otpLifetimeMs, otpTriesMax } from "./otp.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const sendsPerHourMax = 5;

/**
 * Mails a six-digit code, valid for 5 minutes and 5 tries; an earlier one for the address is void.
 *
 * The answer is the same whether or not the address is registered.
 *
 * @throws request.rate_limited beyond one mail a minute or five an hour
 */
export async function sendOtp(ctx: Context, input: { email: string }): Promise<{ ok: boolean }> {
  const email = input.email.toLowerCase();
  const code = generateOtp();
  await ctx.commit(async ({ tx, now }) => {
    await lockOtpAddress(tx, email);
    const sends = await listOtpTimes(tx, email, new Date(now.getTime() - hourMs));
    const [newest] = sends;
    const fifth = sends[sendsPerHourMax - 1];
    if (newest) refuseUntil(now, newest.getTime() + minuteMs);
    if (fifth) refuseUntil(now, fifth.getTime() + hourMs);
    await insertOtp(tx, {
      id: generateId(),
      email,
      codeHash: hashOtp(ctx, email, code),
      triesLeft: otpTriesMax,
      expiresAt: new Date(now.getTime() + otpLifetimeMs),
      createdAt: now,
    });
  });
  // After the commit: a code that was mailed is always one we know.
  await ctx.mailer
    .send({
      to: input.email,
      subject: "Your verification code",
      text: `Your verification code is ${code}. It is valid for 5 minutes.`,
      code,
    })
    .catch((cause: unknown) => fail("server.internal", { cause }));
  return { ok: true };
}

function refuseUntil(now: Date, atMs: number): void {
  const waitMs = atMs - now.getTime();
  if (waitMs > 0) fail("request.rate_limited", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
