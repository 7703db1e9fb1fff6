/**
 * Card orders, from the first step to where a card may be made.
 *
 * - order: one card to be; a user has at most one that is not final. - source: what is embossed, the name that KYC
 *   verified or an ENS name. - due: total less discount; an order with nothing due is free.
 */
import { z } from "zod";
import { eligibilityErrors, encrypted, envelopeFields } from "./cards.ts";
import { couponCode } from "./coupons.ts";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { cents, givenId, id, instant, line, transactionHash } from "./primitives.ts";
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

const nullableText = z.string().nullable();

export const order = z.object({
  id,
  transactionHash: nullableText.meta({ description: "The transaction that is to pay it" }),
  embossedName: nullableText,
  address1: nullableText,
  address2: nullableText,
  city: nullableText,
  postalCode: nullableText,
  state: nullableText,
  country: nullableText.meta({ description: "ISO 3166-1 alpha-2" }),
  userId: id,
  status: z.enum(listStates(orderMachine)),
  personalizationSource: z.enum(personalizationSources),
  couponCode: z.string().optional().meta({ description: "The coupon that was attached last" }),
  totalAmountEUR: cents,
  totalDiscountEUR: cents,
  virtual: z.boolean(),
  createdAt: instant,
});

const orders = {
  access: "user",
  errorStyle: "message",
  failure: { style: "message", text: "An unexpected error occurred." },
} as const;

const orderId = givenId.meta({ description: "The order's id" });
const ok = z.object({ ok: z.boolean() });

const streetLengthMax = 50;
const ensNameLengthMax = 24;
/** Far above any place's name or postal code. */
const placeLengthMax = 200;

const shippingAddress = z.object({
  address1: line(streetLengthMax).min(1),
  address2: line(streetLengthMax).nullish(),
  city: line(placeLengthMax).min(1),
  postalCode: line(placeLengthMax).min(1),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/)
    .toUpperCase()
    .meta({ description: "ISO 3166-1 alpha-2 in any letter case; the user's country" }),
});

export const create = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/create",
  summary: "Orders a card; the first of the steps attach-coupon or pay, confirm-payment, create-card",
  input: z.object({
    // No enum: an unknown source has a text of its own.
    personalizationSource: z
      .string()
      .meta({ description: "What is embossed: `KYC` or `ENS`", enum: [...personalizationSources] }),
    ENSName: line(ensNameLengthMax)
      .nullish()
      .meta({ description: "With `ENS`: a name that resolves to one of the user's wallets", examples: ["ada.eth"] }),
    shippingAddress: shippingAddress.nullish().meta({ description: "Without one the address that KYC verified" }),
    virtual: z.boolean().default(false),
  }),
  output: order,
  errors: [
    "request.invalid",
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
  output: order.extend({ totalDiscountEur: cents }),
  errors: ["auth.unauthorized", "orders.not_found"],
});

export const attachCoupon = defineRoute({
  ...orders,
  method: "POST",
  path: "/order/{orderId}/attach-coupon",
  summary: "Redeems a coupon for the order; again changes nothing, and the best of several counts",
  input: z.object({ orderId, couponCode }),
  output: z.object({ couponCode: z.string().meta({ description: "The code as it was issued" }) }),
  errors: ["request.invalid", "auth.unauthorized", "orders.not_found", "orders.wrong_status", "coupons.invalid"],
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
    "auth.unauthorized",
    "orders.not_found",
    "orders.wrong_status",
    "safes.not_found",
    "cards.in_progress",
    "cards.issuer_refused",
    "cards.pin_unreadable",
    "cards.embossed_name_missing",
    "cards.shipping_missing",
    "cards.shipping_elsewhere",
    ...eligibilityErrors,
  ],
  failure: { style: "error", text: "Internal server error" },
} as const;

export const createCard = defineRoute({
  ...cardCreation,
  path: "/order/{orderId}/create-card",
  summary: "Has the card of a ready order made, with a PIN that travels encrypted, or else a random one",
  input: z.object({
    orderId,
    pinData: pin.nullish().meta({ description: "All three, or none; for a physical card" }),
    transactionHash: transactionHash.nullish().meta({ description: "Not looked at: confirm-payment is what counts" }),
    couponCode: couponCode.nullish().meta({ description: "Not looked at: attach-coupon is what counts" }),
  }),
  output: z.object({ success: z.boolean(), cardToken: z.string() }),
});

export const createCardOlder = defineRoute({
  ...cardCreation,
  path: "/order/{orderId}/card",
  summary: "The older create-card",
  input: pin.extend({
    orderId,
    options: z.object({ setPin: z.boolean().optional() }).nullish(),
  }),
  output: z.object({ success: z.boolean() }),
  deprecated: { successor: "/order/{orderId}/create-card" },
});
