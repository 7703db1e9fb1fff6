/** The catalogue of outgoing events: what each kind carries, in the same codecs as its API twin. */
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
    .meta({ description: `${description}; null where there is none`, examples: [example] });

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
          embossedName: embossedName.nullable().meta({ description: "Name on the card; null where there is none" }),
        }),
      )
      .meta({ description: "The user's cards, newest first" }),
    bankingDetails: z
      .object({ address: bankingAddress, emoneyIban, emoneyBic, emoneyIbanStatus })
      .nullable()
      .meta({ description: "The IBAN; null before one is asked for" }),
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
    createdAt: instant.meta({ description: "When it was asked for" }),
  })
  .meta({ id: "SafeData", description: "A Safe, as events carry it" });

const cardData = z
  .object({ ...cardStateFields, userId })
  .meta({ id: "CardData", description: "A card, as events carry it" });

const orderedCard = z.object({
  userId,
  cardToken,
  id: id.meta({ description: "The order's id" }),
  status: z.enum(listStates(orderMachine)).meta({ description: "How far the order is", examples: ["CARDCREATED"] }),
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
          createdAt: instant.meta({ description: "When it was asked for" }),
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
    oldStatus: movedCard("What the card was", "inactive"),
    newStatus: movedCard("What the card is", "active"),
  }),
  "physical.card.ordered": orderedCard,
  "physical.card.order.status.changed": z.object({
    userId,
    cardToken,
    cardOrderId: id.meta({ description: "The order's id" }),
    oldStatus: shippingStatus.meta({ description: "Where the card was on its way", examples: ["ordered"] }),
    newStatus: shippingStatus.meta({ description: "Where the card is on its way", examples: ["shipped"] }),
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
