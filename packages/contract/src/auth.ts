/**
 * Sign-in and sign-up.
 *
 * - nonce: one-time text of a sign-in message. - challenge: the signed message. - access token: the JWT it yields.
 */
import { z } from "zod";
import { errors } from "./errors.ts";
import { hex, id, line } from "./primitives.ts";
import { defineRoute } from "./route.ts";

const emailLengthMax = 254; // RFC 5321, 4.5.3.1.3
/** One mail address and nothing around it: no name, no list, no line break, whatever a mailer would make of them. */
export const email = z
  .email(errors["auth.invalid_email"].text)
  .max(emailLengthMax, errors["auth.invalid_email"].text)
  .meta({ description: "E-mail address", examples: ["ada@example.org"] });

/** Bounds and default of an access token's lifetime in seconds. */
export const ttl = { min: 60, max: 86_400, default: 3_600 } as const;

const token = z.string().meta({ description: "Access token (JWT) for `Authorization: Bearer`" });
const labelLengthMax = 256;

export const nonce = defineRoute({
  method: "GET",
  path: "/auth/nonce",
  summary: "A fresh nonce for a sign-in message, valid for 10 minutes and for one challenge",
  access: "public",
  output: z.string().meta({ description: "The bare nonce: 17 alphanumeric characters or more" }),
  errors: [],
  errorStyle: "error",
  plainText: true,
});

export const challenge = defineRoute({
  method: "POST",
  path: "/auth/challenge",
  summary: "Exchanges a signed EIP-4361 message for an access token",
  access: "public",
  input: z.object({
    message: z.string().max(10_000).meta({ description: "The signed EIP-4361 text, byte for byte" }),
    signature: hex.meta({ description: "Signature of the message: EOA, ERC-1271 or ERC-6492" }),
    ttlInSeconds: z
      .int()
      .min(ttl.min)
      .max(ttl.max)
      .optional()
      .meta({ description: "Token lifetime in seconds, default 3600" }),
  }),
  output: z.object({ token }),
  errors: ["request.invalid", "auth.invalid_signature"],
  errorStyle: "error",
});

export const signUp = defineRoute({
  method: "POST",
  path: "/auth/signup",
  summary: "Creates a user for the signed-in wallet, tied to an e-mail address",
  access: "wallet",
  input: z.object({
    authEmail: email,
    otp: z.string().optional().meta({ description: "One-time password from `/auth/signup/otp`: exactly 6 characters" }),
    referralCouponCode: line(labelLengthMax).optional(),
    marketingCampaign: line(labelLengthMax).optional(),
    partnerId: line(labelLengthMax).optional().meta({ description: "Partner that referred the user" }),
  }),
  output: z.object({ id, token, hasSignedUp: z.boolean() }),
  holdsToken: true,
  status: 201,
  errors: [
    "request.invalid",
    "auth.unauthorized",
    "auth.invalid_email",
    "auth.unknown_partner",
    "auth.invalid_otp",
    "auth.already_registered",
  ],
  errorStyle: "error",
  failure: { style: "error", text: "An unexpected error occurred" },
});

export const sendOtp = defineRoute({
  method: "POST",
  path: "/auth/signup/otp",
  summary: "Mails a one-time password that proves an e-mail address at sign-up",
  access: "public",
  input: z.object({ email }),
  output: z.object({ ok: z.boolean() }),
  sendsMessage: true,
  errors: ["request.invalid", "auth.invalid_email"],
  errorStyle: "error",
});
