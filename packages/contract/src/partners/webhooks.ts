/**
 * Webhooks: a partner receives a user's events after the user's wallet signed a message that allows it.
 *
 * - subscription: of one user's events to one partner.
 * - event: a change of a user.
 * - delivery: an event for one partner.
 */
import { z } from "zod";
import { addressWith, givenId, id, instant, omitNull, signatureWith, wholeNumber } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const webhooks = { access: "user", errorStyle: "error", unauthorizedStyle: "message" } as const;

const success = z.boolean().meta({ description: "True on success", examples: [true] });
const partnerId = givenId.meta({ description: "The partner's id", examples: ["sandbox"] });

export const message = defineRoute({
  ...webhooks,
  method: "GET",
  path: "/webhooks/message/{partnerId}",
  summary: "The message for one of the user's wallets to sign; it lets a partner receive the user's events",
  input: z.object({
    partnerId,
    walletAddress: addressWith("Invalid address format")
      .optional()
      .meta({
        description:
          "One of the sign-in wallets from `GET /eoa-accounts`, in any letter case; by default the first one",
        examples: ["0x00000000000000000000000000000000000A11cE"],
      }),
  }),
  output: z.object({
    message: z.string().meta({
      description: "EIP-4361 text to sign, valid for 10 minutes",
      examples: ["localhost wants you to sign in with your Ethereum account: ..."],
    }),
    nonce: z.string().meta({ description: "The nonce in the message", examples: ["k7Q2mB9xT4vW8zL1pR6sN3cH5jF0dG2a"] }),
  }),
  errors: ["request.invalid", "webhooks.foreign_wallet", "partners.not_found"],
});

export const subscribe = defineRoute({
  ...webhooks,
  // The service issued the message to one user, so it identifies the user.
  access: "public",
  takesToken: true,
  method: "POST",
  path: "/webhooks/subscribe/{partnerId}",
  summary: "Subscribes a partner to the events of the user who signed; with an access token or by the message alone",
  input: z.object({
    partnerId,
    message: z
      .string()
      .max(8_192)
      .meta({
        description: "`message` from `GET /webhooks/message/{partnerId}`, byte for byte",
        examples: ["localhost wants you to sign in with your Ethereum account: ..."],
      }),
    signature: signatureWith().meta({ description: "Signature of the message by the wallet that it names" }),
  }),
  output: z.object({ success, subscriptionId: id.meta({ description: "The subscription's id" }) }),
  errors: [
    "request.malformed",
    // A token is not needed here; one that is sent has to be valid, and the same user's.
    "auth.token_expired",
    "auth.token_invalid",
    // The message names the user where no token does.
    "users.deactivated",
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
  output: z.object({
    subscribed: z.boolean().meta({ description: "Whether the partner receives the user's events", examples: [true] }),
    subscriptionId: omitNull(id).meta({ description: "The subscription's id; absent if there is none" }),
  }),
  errors: ["partners.not_found"],
});

export const unsubscribe = defineRoute({
  ...webhooks,
  method: "DELETE",
  path: "/webhooks/subscription/{partnerId}",
  summary: "Ends a partner's subscription; no further delivery is sent, pending ones included",
  input: z.object({ partnerId }),
  output: z.object({ success }),
  errors: ["partners.not_found"],
});

export const publicKey = defineRoute({
  ...webhooks,
  access: "public",
  method: "GET",
  path: "/webhooks/public-key",
  aliases: ["/public-key"],
  summary: "The Ed25519 key that verifies `X-Webhook-Signature`, in PEM",
  output: z.object({
    success,
    publicKey: z
      .string()
      .meta({ description: "Ed25519 public key in PEM", examples: ["-----BEGIN PUBLIC KEY-----\n..."] }),
  }),
  errors: [],
});

export const keys = defineRoute({
  ...webhooks,
  access: "public",
  method: "GET",
  path: "/webhooks/jwks.json",
  summary: "All keys that sign deliveries, as a JWKS; several while keys are rotated",
  output: z.object({
    keys: z
      .array(
        z.object({
          kty: z.literal("OKP").meta({ description: "Key type (RFC 8037)" }),
          crv: z.literal("Ed25519").meta({ description: "Curve" }),
          use: z.literal("sig").meta({ description: "Its use: signatures" }),
          alg: z.literal("EdDSA").meta({ description: "Algorithm" }),
          kid: z.string().meta({ description: "The key's id", examples: ["2026-01"] }),
          x: z.string().meta({
            description: "Public key, 32 bytes in base64url",
            examples: ["11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"],
          }),
        }),
      )
      .meta({ description: "All keys that sign deliveries" }),
  }),
  errors: [],
});

/** An event in a partner's feed. The catalogue of events describes its data. */
const pulledEvent = z.object({
  id: id.meta({ description: "The delivery's `webhook-id`" }),
  sequence: z.int().meta({
    description: "Position in the partner's feed, without gaps other than those in `gaps`; for `after`",
    examples: [1],
  }),
  subscriptionId: id.meta({ description: "The subscription's id" }),
  subscriptionSequence: z.int().meta({ description: "The delivery's `webhook-sequence`", examples: [1] }),
  eventType: z
    .string()
    .meta({ description: "The event type, from the catalogue of events", examples: ["user.created"] }),
  data: z.record(z.string(), z.unknown()).meta({
    description: "The event's data, as in the catalogue of events",
    examples: [{ userId: "5c1f0e2a-9d3b-4f6e-8a7c-1b2d3e4f5a6b" }],
  }),
  createdAt: instant.meta({ description: "When it happened" }),
});

/** Where a restored database left a partner's numbers out. */
const feedGap = z.object({
  after: z.int().meta({ description: "The last position before the gap", examples: [41] }),
  before: z.int().meta({ description: "The first position behind it", examples: [1_000_042] }),
  since: instant.nullable().meta({ description: "When the last event before the gap was handed out; null for none" }),
  until: instant.meta({ description: "When the gap was made: events between both instants may be lost" }),
});

export const pull = defineRoute({
  access: "partner",
  errorStyle: "error",
  unauthorizedStyle: "message",
  method: "GET",
  path: "/partners/events",
  scope: "events",
  summary: "The events of a partner's subscriptions after a position in its feed, oldest first; 30 days are kept",
  input: z.object({
    after: wholeNumber("after", 0)
      .optional()
      .meta({ description: "`next` of the last answer, or a `sequence`; 0 by default", examples: ["0"] }),
    limit: wholeNumber("limit", 1)
      .optional()
      .meta({ description: "100 by default, at most 500", examples: ["100"] }),
  }),
  output: z.object({
    events: z.array(pulledEvent).meta({ description: "The events, oldest first" }),
    next: z.int().meta({ description: "`after` of the next request", examples: [1] }),
    gaps: z.array(feedGap).optional().meta({
      description:
        "Only after the database went back to a backup: positions and sequences of each subscription go on behind a gap, so that no number stands for two events. Read your users' state again",
    }),
  }),
  errors: ["request.invalid"],
});
