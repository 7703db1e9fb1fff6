/**
 * Webhooks: a partner receives a user's events once the user's wallet signed a message that says so.
 *
 * - subscription: of one user's events to one partner. - event: what happened. - delivery: an event on its way to a partner.
 */
import { z } from "zod";
import { addressWith, givenId, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";

const webhooks = { access: "user", errorStyle: "error", unauthorizedStyle: "message" } as const;

const partnerId = givenId.meta({ description: "The partner's id" });

export const message = defineRoute({
  ...webhooks,
  method: "GET",
  path: "/webhooks/message/{partnerId}",
  summary: "The message that lets a partner receive the user's events, for one of the user's wallets to sign",
  input: z.object({ partnerId, walletAddress: addressWith("Invalid address format").optional() }),
  output: z.object({
    message: z.string().meta({ description: "EIP-4361 text, good for 10 minutes" }),
    nonce: z.string(),
  }),
  errors: ["request.invalid", "auth.unauthorized", "webhooks.foreign_wallet", "partners.not_found"],
});

export const subscribe = defineRoute({
  ...webhooks,
  // The message was issued to one user, so it tells whose events these are.
  access: "public",
  method: "POST",
  path: "/webhooks/subscribe/{partnerId}",
  summary: "Subscribes a partner to the events of the user who signed; with an access token or by the message alone",
  input: z.object({
    partnerId,
    message: z.string().max(8_192),
    signature: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2})+$/)
      .max(16_384),
  }),
  output: z.object({ success: z.boolean(), subscriptionId: id }),
  errors: [
    "request.malformed",
    "auth.unauthorized",
    "webhooks.invalid_message",
    "webhooks.already_subscribed",
    "partners.not_found",
  ],
});

export const subscription = defineRoute({
  ...webhooks,
  method: "GET",
  path: "/webhooks/subscription/{partnerId}",
  summary: "Whether a partner receives the user's events",
  input: z.object({ partnerId }),
  output: z.object({ subscribed: z.boolean(), subscriptionId: id.nullable() }),
  errors: ["auth.unauthorized", "partners.not_found"],
});

export const unsubscribe = defineRoute({
  ...webhooks,
  method: "DELETE",
  path: "/webhooks/subscription/{partnerId}",
  summary: "Ends a partner's subscription; nothing more is delivered, not even what is on its way",
  input: z.object({ partnerId }),
  output: z.object({ success: z.boolean() }),
  errors: ["auth.unauthorized", "partners.not_found"],
});

export const publicKey = defineRoute({
  ...webhooks,
  access: "public",
  method: "GET",
  path: "/webhooks/public-key",
  aliases: ["/public-key"],
  summary: "The Ed25519 key that verifies `X-Webhook-Signature`, in PEM",
  output: z.object({ success: z.boolean(), publicKey: z.string() }),
  errors: [],
});

export const keys = defineRoute({
  ...webhooks,
  access: "public",
  method: "GET",
  path: "/webhooks/jwks.json",
  summary: "Every key that signs deliveries, as a JWKS; while keys are rotated, more than one",
  output: z.object({
    keys: z.array(
      z.object({
        kty: z.literal("OKP"),
        crv: z.literal("Ed25519"),
        use: z.literal("sig"),
        alg: z.literal("EdDSA"),
        kid: z.string(),
        x: z.string(),
      }),
    ),
  }),
  errors: [],
});

/** An event as a partner pulls it; what it carries is in the catalogue of events. */
const pulledEvent = z.object({
  id: id.meta({ description: "The delivery's `webhook-id`" }),
  sequence: z.int().meta({ description: "Place in the partner's feed, without gaps; for `after`" }),
  subscriptionId: id,
  subscriptionSequence: z.int().meta({ description: "The delivery's `webhook-sequence`" }),
  eventType: z.string(),
  data: z.record(z.string(), z.unknown()),
  createdAt: instant,
});

const wholeNumber = (field: string, min: number) => {
  const message = `${field} must be a whole number of at least ${min}`;
  const number = z.int(message).min(min, message);
  return z.codec(z.union([z.string(message).regex(/^[0-9]{1,15}$/, message), number], message), number, {
    decode: Number,
    encode: String,
  });
};

export const pull = defineRoute({
  access: "partner",
  errorStyle: "error",
  unauthorizedStyle: "message",
  method: "GET",
  path: "/partners/events",
  summary: "The events of a partner's subscriptions since a place in its feed, oldest first; 30 days are kept",
  input: z.object({
    after: wholeNumber("after", 0)
      .optional()
      .meta({ description: "A `sequence`; 0 by default", examples: ["0"] }),
    limit: wholeNumber("limit", 1)
      .optional()
      .meta({ description: "100 by default; never more than 500", examples: ["100"] }),
  }),
  output: z.object({
    events: z.array(pulledEvent),
    next: z.int().meta({ description: "`after` of the next question" }),
  }),
  errors: ["request.invalid", "auth.unauthorized"],
});
