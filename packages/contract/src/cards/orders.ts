/**
 * Card orders, from the first step until the card may be made.
 *
 * - order: one future card; a user has at most one order that is not final.
 * - source: the source of the embossed name, KYC or ENS.
 * - due: total less discount; an order with nothing due is free.
 */
import { z } from "zod";
import { currencies } from "../core/currencies.ts";
import { defineMachine, listStates, type StateOf } from "../core/machine.ts";
import { cents, id, instant, omitNull } from "../core/primitives.ts";

export const orderMachine = defineMachine({
  name: "CardOrder.status",
  initial: "PENDINGTRANSACTION",
  states: {
    PENDINGTRANSACTION: { means: "Needs its payment, or a confirmation that it is free; coupons may be attached" },
    TRANSACTIONCOMPLETE: { means: "Paid on chain; some data of the person is still missing" },
    CONFIRMATIONREQUIRED: { means: "Paid; phone, source of funds or address is missing" },
    READY: { means: "Paid or free: the card may be made" },
    CARDCREATED: { means: "The card was made", isFinal: true },
    FAILEDTRANSACTION: { means: "The attached transaction reverted; a new order is needed", isFinal: true },
    CANCELLED: { means: "Cancelled; a new order may be made", isFinal: true },
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
    {
      from: "PENDINGTRANSACTION",
      to: "FAILEDTRANSACTION",
      when: "the attached transaction reverted, and this is final",
    },
    { from: "TRANSACTIONCOMPLETE", to: "CONFIRMATIONREQUIRED", when: "at once" },
    {
      from: "CONFIRMATIONREQUIRED",
      to: "READY",
      when: "the last of phone, source of funds and, for a physical card, address arrives",
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

/** A text that an order omits if it has none. */
const text = (description: string, example: string) =>
  omitNull(z.string()).meta({ description: `${description}; absent if there is none`, examples: [example] });

export const orderFields = {
  id: id.meta({ description: "The order's id" }),
  transactionHash: text("Hash of the transaction that pays for it", `0x${"8e".repeat(32)}`),
  embossedName: text("Name on the card", "ADA LOVELACE"),
  address1: text("Street and number to ship to", "Unter den Linden 1"),
  address2: text("Second line of the street to ship to", "2. OG"),
  city: text("City to ship to", "Berlin"),
  postalCode: text("Postal code to ship to", "10117"),
  state: text("State or province to ship to", "BE"),
  country: text("Country to ship to, ISO 3166-1 alpha-2", "DE"),
  userId: id.meta({ description: "The user of the order" }),
  status: z.enum(listStates(orderMachine)).meta({ description: "Status", examples: ["PENDINGTRANSACTION"] }),
  personalizationSource: z
    .enum(personalizationSources)
    .meta({ description: "Source of the embossed name: KYC or ENS", examples: ["KYC"] }),
  couponCode: text("The last attached coupon", "FREECARD"),
  totalAmountEUR: cents.meta({
    description: "Price in EUR before the discount, also where another currency is paid",
    examples: [30.23],
  }),
  totalDiscountEUR: cents.meta({ description: "Discount in EUR", examples: [0] }),
  currency: z.enum(currencies).meta({ description: "What is paid, with its token", examples: ["EUR"] }),
  totalAmount: cents.meta({ description: "Price in `currency` before the discount", examples: [30.23] }),
  totalDiscount: cents.meta({ description: "Discount in `currency`", examples: [0] }),
  virtual: z.boolean().meta({ description: "Whether the card is a virtual one", examples: [false] }),
  createdAt: instant.meta({ description: "When it was created" }),
};

export const order = z.object(orderFields).meta({ id: "CardOrder", description: "An order of a card" });
