/** The catalogue of outgoing events: the data of each kind, in the same codecs as the API. */
import { z } from "zod";
import { cardFields, cardStateFields, cardToken, shippingStatuses } from "./cards.ts";
import { balanceFields } from "./accounts.ts";
import { wholeTokens } from "./dailyLimit.ts";
import { delayedTransaction } from "./delays.ts";
import { bankingFields, ibanCreated, ibanStatusChanged } from "./ibans.ts";
import { listStates } from "./machine.ts";
import { orderMachine } from "./orders.ts";
import { address, id, instant } from "./primitives.ts";
import { tokenSymbol } from "./safes.ts";
import { cardEvent } from "./cardEvents.ts";
import { userFields } from "./users.ts";

const userId = id.meta({ description: "The user" });
const safeAddress = address.meta({ description: "The Safe's address" });
const chainId = z.string().meta({ description: "The chain's id", examples: ["100"] });
const signInWallets = z
  .array(z.object({ address: address.meta({ description: "The wallet's address" }) }))
  .meta({ description: "The wallets that may sign in" });
const embossedName = z.string().meta({ description: "Name on the card", examples: ["ADA LOVELACE"] });
const { address: bankingAddress, emoneyIban, emoneyBic, emoneyIbanStatus } = bankingFields;
const text = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}; null if there is none`, examples: [example] });

const userData = z
  .object({
    ...userFields,
    signInWallets,
    safeWallets: z
      .array(z.object({ address: safeAddress, chainId }))
      .meta({ description: "The user's Safe; empty before there is one" }),
    cards: z
      .array(
        z.object({
          ...cardFields,
          embossedName: embossedName.nullable().meta({ description: "Name on the card; null if there is none" }),
        }),
      )
      .meta({ description: "The user's cards, newest first" }),
    bankingDetails: z
      .object({ address: bankingAddress, emoneyIban, emoneyBic, emoneyIbanStatus })
      .nullable()
      .meta({ description: "The IBAN; null before one is requested" }),
  })
  .meta({ id: "UserData", description: "The user, as events carry them" });

const safeTokenSymbol = tokenSymbol.nullable().meta({ description: "The Safe's currency; null before it is set" });

const safeData = z
  .object({
    id: id.meta({ description: "The record's id" }),
    address: safeAddress,
    salt: text("Salt of the Safe's address", "0x5a"),
    chainId: chainId.nullable().meta({ description: "The chain's id", examples: ["100"] }),
    userId,
    tokenSymbol: safeTokenSymbol,
    createdAt: instant.meta({ description: "When it was requested" }),
  })
  .meta({ id: "SafeData", description: "A Safe, as events carry it" });

const cardData = z
  .object({ ...cardStateFields, userId })
  .meta({ id: "CardData", description: "A card, as events carry it" });

const orderedCard = z.object({
  userId,
  cardToken,
  id: id.meta({ description: "The order's id" }),
  status: z.enum(listStates(orderMachine)).meta({ description: "Status of the order", examples: ["CARDCREATED"] }),
  embossedName,
  address1: text("Street and number to ship to", "Unter den Linden 1"),
  address2: text("Second line of the street to ship to", "2. OG"),
  city: text("City to ship to", "Berlin"),
  postalCode: text("Postal code to ship to", "10117"),
  state: text("State or province to ship to", "BE"),
  country: text("Country to ship to, ISO 3166-1 alpha-2", "DE"),
  phone: text("Phone number in E.164 form", "+4915112345678"),
});

const transactionData = z
  .object({
    userId,
    signInWallets,
    safeWallets: z
      .array(
        z.object({
          address: safeAddress,
          chainId: chainId.nullable().meta({ description: "The chain's id", examples: ["100"] }),
          tokenSymbol: safeTokenSymbol,
          createdAt: instant.meta({ description: "When it was requested" }),
        }),
      )
      .meta({ description: "The user's Safe" }),
    event: cardEvent,
  })
  .meta({ id: "TransactionData", description: "A use of a card, as events carry it" });

const shippingStatus = z.enum(shippingStatuses);
const movedCard = (description: string, example: string) => z.string().meta({ description, examples: [example] });

export const events = {
  "user.created": userData,
  "user.tos.accepted": userData,
  "kyc.status.changed": userData,
  "kyc.source-of-funds.changed": userData,
  "kyc.phone-validation.changed": userData,
  "safe.created": safeData,
  "safe.currency.updated": safeData,
  "safe.modules.deployed": safeData,
  "safe.owner.added": z.object({
    userId,
    owner: address.meta({ description: "The owner that was added" }),
    safeAddress,
    addedOwner: address.meta({ description: "The same" }),
  }),
  "safe.owner.removed": z.object({
    userId,
    safeAddress,
    removedOwner: address.meta({ description: "The owner that was removed" }),
  }),
  "card.status.changed": z.object({
    userId,
    cardToken,
    oldStatus: movedCard("The card's status before", "inactive"),
    newStatus: movedCard("The card's status now", "active"),
  }),
  "physical.card.ordered": orderedCard,
  "physical.card.order.status.changed": z.object({
    userId,
    cardToken,
    cardOrderId: id.meta({ description: "The order's id" }),
    oldStatus: shippingStatus.meta({ description: "The shipping status before", examples: ["ordered"] }),
    newStatus: shippingStatus.meta({ description: "The shipping status now", examples: ["shipped"] }),
  }),
  "physical.card.activated": cardData,
  "physical.card.pin.changed": z.object({ userId, cardToken }),
  "virtual.card.issued": cardData,
  "account.balance.changed": z.object({
    userId,
    ...balanceFields,
  }),
  "account.limit.changed": z.object({
    userId,
    oldLimit: wholeTokens.meta({ description: "Daily limit before, in whole units of the Safe's token" }),
    newLimit: wholeTokens.meta({ description: "Daily limit now, in whole units of the Safe's token" }),
  }),
  "account.withdrawal.completed": delayedTransaction,
  "account.withdrawal.failed": z.object({
    userId,
    error: z.string().meta({ description: "Why it failed, in words", examples: ["expired"] }),
  }),
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
/** When each kind is published. */
export const eventOccasions: Readonly<Record<EventType, string>> = {
  "user.created": "A user signed up",
  "user.tos.accepted": "The user accepted a new version of the terms",
  "kyc.status.changed": "The status of identity verification changed",
  "kyc.source-of-funds.changed": "The user answered the questions about the source of funds",
  "kyc.phone-validation.changed": "A phone number was validated or replaced",
  "safe.created": "The Safe was deployed on chain",
  "safe.currency.updated": "The Safe's currency was set",
  "safe.modules.deployed": "The Safe is set up and in service",
  "safe.owner.added": "An owner was added on chain",
  "safe.owner.removed": "An owner was removed on chain",
  "card.status.changed": "A card changed its status: activated, frozen, lost, voided, ...",
  "card.transaction.created": "A use of a card was approved",
  "card.transaction.confirmed": "The transaction of a payment ran on chain",
  "card.transaction.failed": "The transaction of a payment failed on chain",
  "card.transaction.cleared": "The merchant captured an approved payment",
  "card.transaction.declined": "A use of a card was declined",
  "card.transaction.reversed": "An approved payment was reversed or expired",
  "card.transaction.refunded": "The merchant refunded money",
  "physical.card.ordered": "A card is being made from an order",
  "physical.card.order.status.changed": "The shipping status of a card changed",
  "physical.card.activated": "A physical card was activated",
  "physical.card.pin.changed": "The PIN was set",
  "virtual.card.issued": "A virtual card was made",
  "iban.created": "An IBAN was assigned",
  "iban.status.changed": "The status of the IBAN changed",
  "account.balance.changed": "The Safe's balance of its token, or the spendable part, changed",
  "account.limit.changed": "A new daily limit is in force on chain",
  "account.withdrawal.completed": "A withdrawal was executed on chain",
  "account.withdrawal.failed": "A withdrawal failed permanently",
};

/** An event's data on the wire. */
export type EventWire<E extends EventType> = z.input<(typeof events)[E]>;
/** The data with which an event is published. Its wire form is stored. */
export type EventData<E extends EventType> = z.output<(typeof events)[E]>;
