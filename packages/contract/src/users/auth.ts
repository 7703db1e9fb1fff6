/**
 * Sign-in and sign-up.
 *
 * - nonce: one-time text of a sign-in message. - challenge: the signed message. - access token: the JWT it yields.
 */
import { z } from "zod";
import { errors } from "../core/errorCatalogue.ts";
import { exampleSignature, hex, id, line } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";
import { isPlaceholderEmail } from "./placeholderEmail.ts";

const emailLengthMax = 254; // RFC 5321, 4.5.3.1.3
/** As zod's own, but for a top-level domain in its ASCII form (RFC 5890), such as `xn--p1ai`, beside letters alone. */
const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$/;
/** A single mail address without name, list or line break: a mailer could read those as more than one address. */
export const email = z
  .email({ pattern: emailPattern, error: errors["auth.invalid_email"].text })
  .max(emailLengthMax, errors["auth.invalid_email"].text)
  // Else a person could take the address that another one's row is to get.
  .refine((address) => !isPlaceholderEmail(address), errors["auth.invalid_email"].text)
  .meta({ description: "E-mail address", examples: ["ada@example.org"] });

/** Bounds and default of an access token's lifetime in seconds. */
export const ttl = { min: 60, max: 86_400, default: 3_600 } as const;

const token = z
  .string()
  .meta({ description: "Access token (JWT) for `Authorization: Bearer`", examples: ["eyJhbGciOiJFUzI1NiJ9..."] });
const labelLengthMax = 256;
const otpLength = 6;

export const nonce = defineRoute({
  method: "GET",
  path: "/auth/nonce",
  summary: "A fresh nonce for a sign-in message, valid for 10 minutes and for one challenge",
  access: "public",
  output: z.string().meta({
    description: "The bare nonce: 17 alphanumeric characters or more",
    examples: ["k7Q2mB9xT4vW8zL1pR6sN3cH5jF0dG2a"],
  }),
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
    message: z
      .string()
      .max(10_000)
      .meta({
        description: "The signed EIP-4361 text, byte for byte, with the nonce from `GET /auth/nonce`",
        examples: ["localhost:5173 wants you to sign in with your Ethereum account: ..."],
      }),
    signature: hex.meta({
      description:
        "Signature of `message` by a key, a contract wallet (ERC-1271) or one to be deployed (ERC-6492): the address in the message",
      examples: [exampleSignature],
    }),
    ttlInSeconds: z
      .int()
      .min(ttl.min)
      .max(ttl.max)
      .optional()
      .meta({ description: "Token lifetime in seconds, 60 to 86400, default 3600", examples: [3600] }),
  }),
  output: z.object({ token }),
  errors: [
    "request.invalid",
    "auth.malformed_message",
    "auth.invalid_nonce",
    "auth.expired_message",
    "auth.early_message",
    "auth.wrong_chain",
    "auth.unknown_domain",
    "auth.invalid_signature",
  ],
  errorStyle: "error",
});

export const signUp = defineRoute({
  method: "POST",
  path: "/auth/signup",
  summary: "Creates a user for the signed-in wallet, tied to an e-mail address",
  access: "wallet",
  input: z.object({
    authEmail: email,
    // Any other text is a wrong password, with that error text.
    otp: z
      .string()
      .optional()
      .meta({
        description: "One-time password from the mail that `POST /auth/signup/otp` sends: exactly six digits",
        minLength: otpLength,
        maxLength: otpLength,
        pattern: "^[0-9]{6}$",
        examples: ["482917"],
      }),
    referralCouponCode: line(labelLengthMax)
      .optional()
      .meta({ description: "Referral coupon code, for the first order", examples: ["WELCOME"] }),
    marketingCampaign: line(labelLengthMax)
      .optional()
      .meta({ description: "Campaign identifier, stored as sent", examples: ["spring"] }),
    // In any form: an unknown one is not found.
    partnerId: z
      .string()
      .optional()
      .meta({ description: "Partner that referred the user", examples: ["sandbox"] }),
  }),
  output: z.object({
    id: id.meta({ description: "The user's id" }),
    token,
    hasSignedUp: z.boolean().meta({ description: "True after a sign-up", examples: [true] }),
  }),
  holdsToken: true,
  status: 201,
  fieldErrors: { authEmail: "auth.invalid_email" },
  errors: [
    "request.invalid",
    "auth.invalid_email",
    "auth.unknown_partner",
    "auth.invalid_otp",
    "auth.already_registered",
    "auth.sign_ups_stopped",
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
  output: z.object({ ok: z.boolean().meta({ description: "True on success", examples: [true] }) }),
  sendsMessage: true,
  fieldErrors: { email: "auth.invalid_email" },
  errors: ["request.invalid", "auth.invalid_email", "auth.mail_unavailable"],
  errorStyle: "error",
});
