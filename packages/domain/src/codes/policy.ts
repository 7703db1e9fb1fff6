/**
 * Codes that prove that a person reads the messages of an address or a number.
 *
 * - subject: who proves something. - receiver: where the code goes. - send: one code that went out, or tried to.
 */
import type { CodePurpose } from "@cardkeep/db/schema/codes";
import { createHmac } from "node:crypto";
import type { Context } from "../context.ts";

/** What a code is good for, and for how long. */
export interface CodePolicy {
  readonly purpose: CodePurpose;
  readonly lifetimeMs: number;
  readonly triesMax: number;
}

const minuteMs = 60_000;

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

/** The form in which a code is stored: useless without the pepper, for another subject, and for another receiver. */
export const hashCode = (ctx: Context, { purpose }: CodePolicy, { subject, receiver }: CodeParties, code: string) =>
  createHmac("sha256", ctx.rules.codePepper).update([purpose, subject, receiver, code].join("\n")).digest("hex");
