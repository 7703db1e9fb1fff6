/**
 * Cards, physical and virtual.
 *
 * - card token: identifies a card at the issuer and in card transactions; not secret, and never the card number.
 * - status code: the card's state, with the codes of card networks.
 * - activated: a physical card after its delivery; a virtual one always.
 * - shipping: the delivery of a physical card, independent of its status.
 */
import { z } from "zod";
import { defineMachine, type StateOf } from "../core/machine.ts";
import { id, instant } from "../core/primitives.ts";

export const cardMachine = defineMachine({
  name: "Card.statusCode",
  initial: "1000",
  states: {
    "1000": { means: "Can spend; a physical card once it is activated" },
    "1005": { means: "Frozen by its user or by support; declines until it is unfrozen" },
    "1009": { means: "Void: ended permanently by its user" },
    "1041": { means: "Reported lost; declines permanently" },
    "1043": { means: "Reported stolen; declines permanently" },
    "1054": { means: "Expired" },
    "1062": { means: "Closed after a report of fraud", isFinal: true },
  },
  transitions: [
    { from: "1000", to: "1005", when: "freeze" },
    { from: "1005", to: "1000", when: "unfreeze" },
    { from: "1000", to: "1062", when: "a transaction is disputed as fraud" },
    { from: "1005", to: "1062", when: "a transaction is disputed as fraud" },
    { from: "1000", to: "1054", when: "its last month is over" },
    { from: "1005", to: "1054", when: "its last month is over" },
    { from: "any", to: "1041", when: "reported lost" },
    { from: "any", to: "1043", when: "reported stolen" },
    { from: "any", to: "1009", when: "a virtual card is voided, or the issuer cancels the card" },
  ],
});
export type CardStatus = StateOf<typeof cardMachine>;

/** The status codes by name. */
export const cardStatusCodes = {
  active: "1000",
  frozen: "1005",
  void: "1009",
  lost: "1041",
  stolen: "1043",
  expired: "1054",
  restricted: "1062",
} as const satisfies Readonly<Record<string, CardStatus>>;

/** What each status code is called. Source: the published list of card status codes. */
export const cardStatusNames: Readonly<Record<CardStatus, string>> = {
  "1000": "Active",
  "1005": "Declined",
  "1009": "Void",
  "1041": "Lost",
  "1043": "Stolen",
  "1054": "Expired",
  "1062": "Restricted",
};

/** What operators read in place of it: a frozen card, which the published list calls declined, is no declined payment. */
export const cardStatusWords: Readonly<Record<CardStatus, string>> = { ...cardStatusNames, "1005": "Frozen" };

/** States that nothing leads out of to where a card spends again; they do not count as active cards. */
export const endedCardStatuses: readonly CardStatus[] = [
  cardStatusCodes.void,
  cardStatusCodes.lost,
  cardStatusCodes.stolen,
  cardStatusCodes.expired,
  cardStatusCodes.restricted,
];

/** A card's state at the issuer: it spends, it is paused, it is ended. */
export const issuerStatuses = ["active", "inactive", "canceled"] as const;
export type IssuerStatus = (typeof issuerStatuses)[number];

/** The issuer's status of a person. It declines every card of an inactive person, also a card that is active itself. */
export const cardholderStatuses = ["active", "inactive"] as const satisfies readonly IssuerStatus[];
export type CardholderStatus = (typeof cardholderStatuses)[number];

export const shippingStatuses = ["ordered", "shipped", "delivered", "failed", "returned", "cancelled"] as const;
export type ShippingStatus = (typeof shippingStatuses)[number];

export const cardToken = z.string().meta({
  description: "Identifies the card at the issuer and in transactions; not its number, and not secret",
  examples: ["ic_1a2b3c4d5e6f708192a3b4c5"],
});

export const statusCode = z
  .int()
  .meta({ description: "Status code of card networks, 1000 for an active card", examples: [1000] });

export const cardFields = {
  id: id.meta({ description: "The card's id" }),
  cardToken,
  lastFourDigits: z.string().meta({ description: "Last four digits of its number", examples: ["4242"] }),
  activatedAt: instant.nullable().meta({ description: "When it was activated; null before" }),
  virtual: z.boolean().meta({ description: "Whether it is a virtual card", examples: [true] }),
};

export const cardSummary = z.object(cardFields).meta({ id: "CardSummary", description: "A card of a user" });

export const cardStateFields = {
  ...cardFields,
  statusCode,
  statusName: z.string().meta({ description: "Name of the status code", examples: ["Active"] }),
};

export const cardResource = z.object(cardStateFields).meta({ id: "Card", description: "A card with its status" });
