/**
 * Card orders, from the first step to where a card may be made.
 *
 * - order: one card to be; a user has at most one that is not final. - source: what is embossed, the name that KYC
 *   verified or an ENS name. - due: total less discount; an order with nothing due is free.
 */
import { z } from "zod";
import { defineMachine, listStates, type StateOf } from "./machine.ts";
import { cents, id, instant, omitNull } from "./primitives.ts";

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

export const orderFields = {
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
