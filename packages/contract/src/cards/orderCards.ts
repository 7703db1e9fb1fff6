/** The last step of an order: its card is made. */
import { z } from "zod";
import { encrypted, envelopeFields } from "./cardEnvelopes.ts";
import { eligibilityErrors } from "./cardRoutes.ts";
import { cardToken } from "./cards.ts";
import { couponCode } from "./coupons.ts";
import { orderId, orders } from "./orderRoutes.ts";
import { transactionHash } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

const pin = z
  .object({
    encryptedPin: encrypted("AES-256-GCM ciphertext and tag of the PIN's four digits, in base64"),
    ...envelopeFields,
  })
  .partial();

const cardCreation = {
  ...orders,
  method: "POST",
  errorStyle: "error",
  errors: [
    "request.invalid",
    "orders.not_found",
    "orders.wrong_status",
    "safes.not_found",
    "cards.in_progress",
    "cards.issuer_refused",
    "cards.issuer_unavailable",
    "cards.pin_unreadable",
    "cards.embossed_name_missing",
    "cards.shipping_missing",
    "cards.shipping_elsewhere",
    ...eligibilityErrors,
  ],
  failure: { style: "error", text: "Internal server error" },
} as const;

const success = z.boolean().meta({ description: "True on success", examples: [true] });

export const createCard = defineRoute({
  ...cardCreation,
  path: "/order/{orderId}/create-card",
  summary: "Makes the card of a ready order. The PIN is sent encrypted; without one it is random",
  input: z.object({
    orderId,
    pinData: pin.nullish().meta({
      description:
        "The PIN, encrypted for the key from `GET /user/card-public-key`; all three fields, or none; for a physical card",
    }),
    transactionHash: transactionHash.nullish().meta({ description: "Ignored: confirm-payment decides" }),
    couponCode: couponCode.nullish().meta({ description: "Ignored: attach-coupon decides" }),
  }),
  output: z.object({ success, cardToken }),
});

export const createCardOlder = defineRoute({
  ...cardCreation,
  path: "/order/{orderId}/card",
  summary: "The older form of create-card",
  input: pin.extend({
    orderId,
    options: z
      .object({
        setPin: z
          .boolean()
          .optional()
          .meta({ description: "Ignored: a PIN is set if one is sent", examples: [true] }),
      })
      .nullish()
      .meta({ description: "Sent by older clients" }),
  }),
  output: z.object({ success }),
  deprecated: { successor: "/order/{orderId}/create-card" },
});
