/** The catalogue of outgoing events: what each kind carries, in the same codecs as its API twin. */
import { z } from "zod";
import { cardResource, cardSummary, shippingStatuses } from "./cards.ts";
import { wholeTokens } from "./dailyLimit.ts";
import { delayedTransaction } from "./delays.ts";
import { bankingDetails, ibanCreated, ibanStatusChanged } from "./ibans.ts";
import { listStates } from "./machine.ts";
import { orderMachine } from "./orders.ts";
import { address, id, instant, tokenAmount } from "./primitives.ts";
import { tokenSymbol } from "./safes.ts";
import { cardEvent } from "./transactions.ts";
import { user } from "./users.ts";

const userData = user
  .omit({ signInWallets: true, safeWallets: true, cards: true, partnerId: true, status: true })
  .extend({
    signInWallets: z.array(z.object({ address })),
    safeWallets: z.array(z.object({ address, chainId: z.string() })),
    cards: z.array(cardSummary.extend({ embossedName: z.string().nullable() })),
    bankingDetails: bankingDetails.omit({ id: true, userId: true, createdAt: true, updatedAt: true }).nullable(),
  });

const safeData = z.object({
  id,
  address,
  salt: z.string().nullable(),
  chainId: z.string().nullable(),
  userId: id,
  tokenSymbol: tokenSymbol.nullable(),
  createdAt: instant,
});

const cardData = cardResource.extend({ userId: id });

const text = z.string().nullable();

const orderedCard = z.object({
  userId: id,
  cardToken: z.string(),
  id: id.meta({ description: "The order's id" }),
  status: z.enum(listStates(orderMachine)),
  embossedName: text,
  address1: text,
  address2: text,
  city: text,
  postalCode: text,
  state: text,
  country: text,
  phone: text,
});

const transactionData = z.object({
  userId: id,
  signInWallets: z.array(z.object({ address })),
  safeWallets: z.array(
    z.object({ address, chainId: z.string().nullable(), tokenSymbol: tokenSymbol.nullable(), createdAt: instant }),
  ),
  event: cardEvent,
});

export const events = {
  "user.created": userData,
  "user.tos.accepted": userData,
  "kyc.status.changed": userData,
  "kyc.source-of-funds.changed": userData,
  "kyc.phone-validation.changed": userData,
  "safe.created": safeData,
  "safe.currency.updated": safeData,
  "safe.modules.deployed": safeData,
  "safe.owner.added": z.object({ userId: id, owner: address, safeAddress: address, addedOwner: address }),
  "safe.owner.removed": z.object({ userId: id, safeAddress: address, removedOwner: address }),
  "card.status.changed": z.object({ userId: id, cardToken: z.string(), oldStatus: z.string(), newStatus: z.string() }),
  "physical.card.ordered": orderedCard,
  "physical.card.order.status.changed": z.object({
    userId: id,
    cardToken: z.string(),
    cardOrderId: id,
    oldStatus: z.enum(shippingStatuses),
    newStatus: z.enum(shippingStatuses),
  }),
  "physical.card.activated": cardData,
  "physical.card.pin.changed": z.object({ userId: id, cardToken: z.string() }),
  "virtual.card.issued": cardData,
  "account.balance.changed": z.object({
    userId: id,
    total: tokenAmount,
    spendable: tokenAmount,
    pending: tokenAmount,
  }),
  "account.limit.changed": z.object({ userId: id, oldLimit: wholeTokens, newLimit: wholeTokens }),
  "account.withdrawal.completed": delayedTransaction,
  "account.withdrawal.failed": z.object({ userId: id, error: z.string() }),
  "iban.created": ibanCreated,
  "iban.status.changed": ibanStatusChanged,
  "card.transaction.created": transactionData,
  "card.transaction.confirmed": transactionData,
  "card.transaction.failed": transactionData,
  "card.transaction.cleared": transactionData,
  "card.transaction.declined": transactionData,
  "card.transaction.reversed": transactionData,
  "card.transaction.refunded": transactionData,
} as const satisfies Record<string, z.ZodType>;

export type EventType = keyof typeof events;
/** When each kind is published, for people. */
export const eventOccasions: Readonly<Record<EventType, string>> = {
  "user.created": "Somebody signed up",
  "user.tos.accepted": "Terms were accepted, in a version that was not before",
  "kyc.status.changed": "Identity verification moved",
  "kyc.source-of-funds.changed": "The questions about the source of funds were answered",
  "kyc.phone-validation.changed": "A phone number was validated, or replaced",
  "safe.created": "The Safe is on chain",
  "safe.currency.updated": "The Safe's currency was set",
  "safe.modules.deployed": "The Safe is set up, and in service",
  "safe.owner.added": "An owner was added on chain",
  "safe.owner.removed": "An owner was removed on chain",
  "card.status.changed": "A card moved: activated, frozen, lost, voided, ...",
  "card.transaction.created": "A use of a card was approved",
  "card.transaction.confirmed": "Its transaction ran on chain",
  "card.transaction.failed": "Its transaction failed on chain",
  "card.transaction.cleared": "The merchant claimed what was approved",
  "card.transaction.declined": "A use of a card was declined",
  "card.transaction.reversed": "What was approved was given up",
  "card.transaction.refunded": "The merchant gave money back",
  "physical.card.ordered": "A card is being made from an order",
  "physical.card.order.status.changed": "The card's way to its owner moved",
  "physical.card.activated": "A physical card was activated",
  "physical.card.pin.changed": "The PIN was set",
  "virtual.card.issued": "A virtual card was made",
  "iban.created": "An IBAN was assigned",
  "iban.status.changed": "The IBAN's status moved",
  "account.balance.changed": "What the Safe holds of its token, or what of it may be spent, changed",
  "account.limit.changed": "A new daily limit is in force on chain",
  "account.withdrawal.completed": "A withdrawal was executed on chain",
  "account.withdrawal.failed": "A withdrawal failed for good",
};

/** What an event carries as it travels. */
export type EventWire<E extends EventType> = z.input<(typeof events)[E]>;
/** What an event is published with; its wire form is stored. */
export type EventData<E extends EventType> = z.output<(typeof events)[E]>;
