/**
 * Card orders, from the first step to where a card may be made.
 *
 * - order: one card to be; a user has at most one that is not final. - source: what is embossed, the name that KYC
 *   verified or an ENS name. - due: total less discount; an order with nothing due is free.
 */
import { z } from "zod";
import { couponCode } from "./coupons.ts";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { cents, givenId, id, instant, line, omitNull, transactionHash } from "./primitives.ts";
import { defineRoute } from "./route.ts";

export const orderMachine = defineMachine({
  name: "CardOrder.status",
  initial: "PENDINGTRANSACTION",
  states: {
    PENDINGTRANSACTION: { means: "Waits for its payment, or to be confirmed as free; coupons may be attached" },
    TRANSACTIONCOMPLETE: { means: "Paid on chain; something about the person is still missing" },
    CONFIRMATIONREQUIRED: { means: "Paid; waits for phone, source of funds or address" },
    READY: { means: "Paid or free: the card may be made" },
    CARDCREATED: { means: "The card was made", isFinal: true },
    FAILEDTRANSACTION: { means: "The attached transaction reverted; a new order is needed", isFinal: true },
    CANCELLED: { means: "Given up; a new order may be made", isFinal: true },
  },
  transitions: [
    {
      from: "PENDINGTRANSACTION",
      to: "READY",
      when: "confirm-payment of a free order; or its payment is final on chain, and the person is complete",
    },
    {
      from: "PENDINGTRANSACTION",
      to: "TRANSACTIONCOMPLETE",
      when: "its payment is final on chain, and the person is not complete",
    },
    { from: "PENDINGTRANSACTION", to: "FAILEDTRANSACTION", when: "the attached transaction reverted, finally" },
    { from: "TRANSACTIONCOMPLETE", to: "CONFIRMATIONREQUIRED", when: "at once" },
    {
      from: "CONFIRMATIONREQUIRED",
      to: "READY",
      when: "the last of phone, source of funds and, for a physical card, address is there",
    },
    { from: "READY", to: "CARDCREATED", when: "create-card" },
    { from: "PENDINGTRANSACTION", to: "CANCELLED", when: "cancel" },
    { from: "TRANSACTIONCOMPLETE", to: "CANCELLED", when: "cancel" },
    { from: "CONFIRMATIONREQUIRED", to: "CANCELLED", when: "cancel" },
    { from: "READY", to: "CANCELLED", when: "the operator cancels", by: "operator" },
  ],
  undone: [
    { from: "CONFIRMATIONREQUIRED", to: "PENDINGTRANSACTION", when: "the block of its payment is gone" },
    { from: "READY", to: "PENDINGTRANSACTION", when: "the block of its payment is gone" },
  ],
});
export type OrderStatus = StateOf<typeof orderMachine>;

export const personalizationSources = ["KYC", "ENS"] as const;
export type PersonalizationSource = (typeof personalizationSources)[number];

/** A text that an order leaves out while it has none. */
const text = (description: string, example: string) =>
  omitNull(z.string()).meta({ description: `${description}; absent where there is none`, examples: [example] });

const orderFields = {
  id: id.meta({ description: "The order's id" }),
  transactionHash: text("Hash of the transaction that is to pay it", `0x${"8e".repeat(32)}`),
  embossedName: text("Name on the card", "ADA LOVELACE"),
  address1: text("Street and number to ship to", "Unter den Linden 1"),
  address2: text("Second line of the street to ship to", "2. OG"),
  city: text("City to ship to", "Berlin"),
  postalCode: text("Postal code to ship to", "10117"),
  state: text("State or province to ship to", "BE"),
  country: text("Country to ship to, ISO 3166-1 alpha-2", "DE"),
  userId: id.meta({ description: "The user whose order it is" }),
  status: z.enum(listStates(orderMachine)).meta({ description: "How far it is", examples: ["PENDINGTRANSACTION"] }),
  personalizationSource: z
    .enum(personalizationSources)
    .meta({ description: "What is embossed: the name that KYC verified, or an ENS name", examples: ["KYC"] }),
  couponCode: text("The coupon that was attached last", "FREECARD"),
  totalAmountEUR: cents.meta({ description: "Price in EUR before the discount", examples: [30.23] }),
  totalDiscountEUR: cents.meta({ description: "Discount in EUR", examples: [0] }),
  virtual: z.boolean().meta({ description: "Whether the card is a virtual one", examples: [false] }),
  createdAt: instant.meta({ description: "When it was made" }),
};

export const order = z.object(orderFields).meta({ id: "CardOrder", description: "An order of a card" });

export const orders = {
  access: "user",
  errorStyle: "message",
  failure: { style: "message", text: "An unexpected error occurred." },
} as const;

export const orderId = givenId.meta({ description: "The order's id" });
const ok = z.object({ ok: z.boolean().meta({ description: "True on success", examples: [true] }) });

const streetLengthMax = 50;
const ensNameLengthMax = 24;
/** Far above any place's name or postal code. */
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
  .meta({ id: "ShippingAddress", description: "Where the card goes" });

const orderedCard = {
  shippingAddress: shippingAddress.nullish().meta({ description: "Without one the address that KYC verified" }),
  virtual: z
    .boolean()
    .default(false)
    .meta({ description: "Whether to make a virtual card", examples: [false] }),
};

export const create = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/create",
  summary: "Orders a card; the first of the steps attach-coupon or pay, confirm-payment, create-card",
  input: z.discriminatedUnion("personalizationSource", [
    z.object({
      personalizationSource: z
        .literal("KYC")
        .meta({ description: "The name that KYC verified is embossed", examples: ["KYC"] }),
      ...orderedCard,
    }),
    z.object({
      personalizationSource: z.literal("ENS").meta({ description: "The ENS name is embossed", examples: ["ENS"] }),
      ENSName: line(ensNameLengthMax)
        .min(1)
        .meta({
          description:
            "A name of up to 24 characters that resolves to one of the user's wallets. That it has to is a rule of this service",
          examples: ["ada.eth"],
        }),
      ...orderedCard,
    }),
  ]),
  fieldErrors: { personalizationSource: "orders.unknown_source" },
  output: order,
  badRequestStyle: "bare",
  errors: [
    "request.malformed",
    "auth.unauthorized",
    "orders.unknown_source",
    "orders.kyc_required",
    "orders.pending",
    "orders.wrong_country",
    "orders.ens_unavailable",
    "orders.ens_elsewhere",
  ],
  failure: { style: "error", text: "Internal server error" },
});

export const list = defineRoute({
  ...orders,
  method: "GET",
  path: "/order/",
  aliases: ["/order"],
  summary: "The user's orders, newest first",
  output: z.array(order),
  errors: ["auth.unauthorized"],
});

export const get = defineRoute({
  ...orders,
  method: "GET",
  path: "/order/{orderId}",
  summary: "One order; the discount is told in both spellings",
  input: z.object({ orderId }),
  output: z.object({
    ...orderFields,
    totalDiscountEur: cents.meta({ description: "Discount in EUR, in another spelling", examples: [0] }),
  }),
  errors: ["auth.unauthorized", "orders.not_found"],
});

export const attachCoupon = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/{orderId}/attach-coupon",
  summary:
    "Redeems a coupon for the order; again changes nothing, and the best of several counts. For a client with a code built in, the operator sets `FREE_COUPON_CODE` to it or makes a coupon with `--per-user unlimited`",
  input: z.object({ orderId, couponCode }),
  output: z.object({
    couponCode: z.string().meta({ description: "The code as it was issued", examples: ["WELCOME"] }),
  }),
  errors: [
    "request.invalid",
    "auth.unauthorized",
    "orders.not_found",
    "orders.wrong_status",
    "coupons.invalid",
    "coupons.already_used",
  ],
});

export const attachTransaction = defineRoute({
  ...orders,
  method: "PUT",
  path: "/order/{orderId}/attach-transaction",
  summary: "Names the transaction that pays the order: what is due in EURe to the treasury, in one transfer",
  input: z.object({ orderId, transactionHash }),
  output: ok,
  errors: [
    "request.malformed",
    "auth.unauthorized",
    "orders.not_found",
    "orders.wrong_status",
    "orders.transaction_used",
  ],
});

export const confirmPayment = defineRoute({
  ...orders,
  method: "PUT",
  path: "/order/{orderId}/confirm-payment",
  summary: "Marks the order as paid, if it is free or the chain proves it",
  input: z.object({ orderId }),
  output: ok,
  errors: [
    "auth.unauthorized",
    "orders.not_found",
    "orders.wrong_status",
    "orders.no_transaction",
    "orders.no_payment",
  ],
});

export const cancel = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/{orderId}/cancel",
  summary: "Gives up an order that is not ready yet; its coupons are free again",
  input: z.object({ orderId }),
  output: ok,
  errors: ["auth.unauthorized", "orders.not_found", "orders.wrong_status"],
});
