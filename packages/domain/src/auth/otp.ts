/** One-time passwords that prove an e-mail address. */
import { consumeOtp, takeOtpTry } from "@cardkeep/db/queries/auth";
import type { Tx } from "@cardkeep/db/client";
import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";

export const otpLifetimeMs = 5 * 60_000;
export const otpTriesMax = 5;

const digits = 6;

/** Six random decimal digits. */
export const generateOtp = (): string =>
  randomInt(10 ** digits)
    .toString()
    .padStart(digits, "0");

/** The form in which a code is stored: useless without the pepper, and for another address. */
export const hashOtp = (ctx: Context, email: string, code: string): string =>
  createHmac("sha256", ctx.rules.codePepper).update(`${email}\n${code}`).digest("hex");

/**
 * Checks a code against the newest one sent to the address, spending one of its tries.
 *
 * Answers how to use the code up in the commit of what it permits, or null when it does not fit.
 */
export async function checkOtp(
  ctx: Context,
  email: string,
  code: string,
): Promise<((tx: Tx, now: Date) => Promise<boolean>) | null> {
  if (code.length !== digits) return null;
  const stored = await takeOtpTry(ctx.db, email, await ctx.clock.now(ctx.db));
  if (!stored) return null;
  const matches = timingSafeEqual(Buffer.from(stored.codeHash, "hex"), Buffer.from(hashOtp(ctx, email, code), "hex"));
  return matches ? (tx, now) => consumeOtp(tx, stored.id, now) : null;
}
