/** The routes of card orders, from the first step to the one before the card is made. */
import { z } from "zod";
import { couponCode } from "./coupons.ts";
import { order, orderFields } from "./orders.ts";
import { updatedSince } from "../core/instantOrDate.ts";
import { cents, givenId, line, transactionHash } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

/** Settings that all routes of orders share. */
export const orders = {
  access: "user",
  errorStyle: "message",
  failure: { style: "message", text: "An unexpected error occurred." },
} as const;

export const orderId = givenId.meta({ description: "The order's id, from `POST /order/create` or `GET /order/`" });
const ok = z.object({ ok: z.boolean().meta({ description: "True on success", examples: [true] }) });

const streetLengthMax = 50;
const ensNameLengthMax = 24;
/** Far above the length of any place name or postal code. */
const placeLengthMax = 200;

const shippingAddress = z
  .object({
    address1: line(streetLengthMax)
      .min(1)
      .meta({ description: "Street and number, up to 50 characters", examples: ["Unter den Linden 1"] }),
    address2: line(streetLengthMax)
      .nullish()
      .meta({ description: "Second line, up to 50 characters", examples: ["2. OG"] }),
    city: line(placeLengthMax)
      .min(1)
      .meta({ description: "City, up to 200 characters", examples: ["Berlin"] }),
    postalCode: line(placeLengthMax)
      .min(1)
      .meta({ description: "Postal code, up to 200 characters", examples: ["10117"] }),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/)
      .toUpperCase()
      .meta({ description: "ISO 3166-1 alpha-2 in any letter case; the user's country", examples: ["DE"] }),
  })
  .meta({ id: "ShippingAddress", description: "Where the card is shipped" });

const orderedCard = {
  shippingAddress: shippingAddress.nullish().meta({ description: "By default the address that KYC verified" }),
  virtual: z
    .boolean()
    .default(false)
    .meta({ description: "Whether to make a virtual card, false by default", examples: [false] }),
};

export const create = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/create",
  summary: "Orders a card. The next steps are attach-coupon or pay, confirm-payment and create-card",
  input: z.discriminatedUnion("personalizationSource", [
    z
      .object({
        personalizationSource: z
          .literal("KYC")
          .meta({ description: "The name that KYC verified is embossed", examples: ["KYC"] }),
        ...orderedCard,
      })
      .meta({ id: "KycCardRequest", description: "A card with the name that KYC verified" }),
    z
      .object({
        personalizationSource: z.literal("ENS").meta({ description: "The ENS name is embossed", examples: ["ENS"] }),
        ENSName: line(ensNameLengthMax)
          .min(1)
          .meta({
            description:
              "A name of up to 24 characters that resolves to one of the user's wallets, as this service requires",
            examples: ["ada.eth"],
          }),
        ...orderedCard,
      })
      .meta({ id: "EnsCardRequest", description: "A card with an ENS name" }),
  ]),
  fieldErrors: { personalizationSource: "orders.unknown_source" },
  // Without a name there is nothing to personalize the card with: one of the four published texts.
  emptyFieldErrors: { ENSName: "orders.unknown_source" },
  output: order,
  badRequestStyle: "bare",
  errors: [
    "request.malformed",
    "orders.unknown_source",
    "orders.kyc_required",
    "orders.pending",
    "orders.wrong_country",
    "orders.ens_unavailable",
    "orders.ens_elsewhere",
    "orders.stopped",
  ],
  failure: { style: "error", text: "Internal server error" },
});

export const list = defineRoute({
  ...orders,
  method: "GET",
  path: "/order/",
  aliases: ["/order"],
  summary: "The user's orders, newest first",
  input: z.object({ updatedSince: updatedSince("such as a payment or a cancellation") }),
  output: z.array(order),
  errors: ["request.invalid"],
});

export const get = defineRoute({
  ...orders,
  method: "GET",
  path: "/order/{orderId}",
  summary: "One order; the discount has both spellings",
  input: z.object({ orderId }),
  output: z.object({
    ...orderFields,
    totalDiscountEur: cents.meta({ description: "Discount in EUR, in another spelling", examples: [0] }),
  }),
  errors: ["orders.not_found"],
});

export const attachCoupon = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/{orderId}/attach-coupon",
  summary:
    "Redeems a coupon for the order. A repeated request changes nothing, and the best of several coupons counts. For a client with a built-in code, the operator sets `FREE_COUPON_CODE` to it or makes a coupon with `--per-user unlimited`",
  input: z.object({ orderId, couponCode }),
  output: z.object({
    couponCode: z.string().meta({ description: "The code as it was issued", examples: ["WELCOME"] }),
  }),
  errors: ["request.invalid", "orders.not_found", "orders.wrong_status", "coupons.invalid", "coupons.already_used"],
});

export const attachTransaction = defineRoute({
  ...orders,
  method: "PUT",
  path: "/order/{orderId}/attach-transaction",
  summary:
    "Names the transaction that pays for the order: the due amount in the token of the order's `currency` to the treasury, in one transfer",
  input: z.object({ orderId, transactionHash }),
  output: ok,
  errors: ["request.malformed", "orders.not_found", "orders.wrong_status", "orders.transaction_used"],
});

export const confirmPayment = defineRoute({
  ...orders,
  method: "PUT",
  path: "/order/{orderId}/confirm-payment",
  summary: "Marks the order as paid, if it is free or the chain proves it",
  input: z.object({ orderId }),
  output: ok,
  errors: ["orders.not_found", "orders.wrong_status", "orders.no_transaction", "orders.no_payment"],
});

export const cancel = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/{orderId}/cancel",
  summary: "Cancels an order that is not ready yet; its coupons can be used again",
  input: z.object({ orderId }),
  output: ok,
  errors: ["orders.not_found", "orders.wrong_status"],
});
