/**
 * Codes that prove that a person reads the messages of an address or a number.
 *
 * - subject: who proves something. - receiver: where the code goes. - send: one code that went out, may have, or was refused for its receiver.
 */
import { minuteMs } from "@cardkeep/contract/core/durations";
import type { CodePurpose } from "@cardkeep/db/schema/core/codes";
import { createHmac } from "node:crypto";
import type { Context } from "../context.ts";

/** What a code is good for, and for how long. */
export interface CodePolicy {
  readonly purpose: CodePurpose;
  readonly lifetimeMs: number;
  readonly triesMax: number;
}

/** Proves a mail address at sign-up. */
export const emailCodes: CodePolicy = {
  purpose: "email",
  lifetimeMs: 5 * minuteMs,
  triesMax: 5,
};

/** Proves a user's phone number. */
export const phoneCodes: CodePolicy = {
  purpose: "phone",
  lifetimeMs: 10 * minuteMs,
  triesMax: 5,
};

/** Whose code it is, and where it goes. */
export interface CodeParties {
  readonly subject: string;
  readonly receiver: string;
}

export const codeDigits = 6;

/**
 * The forms in which a code may be stored, one for each pepper: useless without it, for another subject, and for another
 * receiver. New codes are stored in the first.
 */
export const hashCode = (
  ctx: Pick<Context, "policy">,
  { purpose }: CodePolicy,
  { subject, receiver }: CodeParties,
  code: string,
): string[] =>
  ctx.policy.codePeppers.map((pepper) =>
    createHmac("sha256", pepper).update([purpose, subject, receiver, code].join("\n")).digest("hex"),
  );
