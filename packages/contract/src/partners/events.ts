/** The catalogue of outgoing events: the data of each kind, in the same codecs as the API. */
import { z } from "zod";
import { balanceFields } from "../accounts/accounts.ts";
import { shownControls } from "../cards/cardControls.ts";
import { cardToken, shippingStatuses } from "../cards/cards.ts";
import { wholeTokens } from "../accounts/dailyLimit.ts";
import { delayedTransaction } from "../accounts/delays.ts";
import { disputeFields } from "../spending/disputeFields.ts";
import {
  cardData,
  orderedCard,
  safeAddress,
  safeData,
  transactionData,
  userData,
  userId,
  walletTokenData,
} from "./eventData.ts";
import { ibanCreated, ibanOrderReceived, ibanStatusChanged } from "../users/ibans.ts";
import { address, id } from "../core/primitives.ts";
import { walletTokenStatus } from "../cards/walletTokens.ts";

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
    owner: address.meta({ description: "The owner who signed the addition" }),
    safeAddress,
    addedOwner: address.meta({ description: "The owner that was added" }),
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
  "card.controls.changed": z.object({
    userId,
    cardToken,
    cardId: id.meta({ description: "The card's id" }),
    controls: shownControls.meta({ description: "The controls now" }),
  }),
  "card.wallet-token.created": walletTokenData,
  "card.wallet-token.changed": walletTokenData.extend({
    oldStatus: walletTokenStatus.meta({ description: "The status before", examples: ["active"] }),
    newStatus: walletTokenStatus.meta({ description: "The status now", examples: ["suspended"] }),
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
  "iban.order.received": ibanOrderReceived,
  "card.transaction.created": transactionData,
  "card.transaction.confirmed": transactionData,
  "card.transaction.failed": transactionData,
  "card.transaction.cleared": transactionData,
  "card.transaction.declined": transactionData,
  "card.transaction.reversed": transactionData,
  "card.transaction.refunded": transactionData,
  "card.dispute.updated": z.object({ userId, cardToken, ...disputeFields }),
} as const satisfies Record<string, z.ZodType>;

export type EventType = keyof typeof events;

/** Kinds that only those partners receive that asked for all: see `cardkeep partners change`. */
export const askedEvents: readonly EventType[] = ["iban.order.received"];

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
  "card.controls.changed": "The user changed the own rules on a card",
  "card.transaction.created": "A use of a card was approved",
  "card.transaction.confirmed": "The transaction of a payment ran on chain",
  "card.transaction.failed": "The transaction of a payment failed on chain",
  "card.transaction.cleared": "The merchant captured an approved payment",
  "card.transaction.declined": "A use of a card was declined",
  "card.transaction.reversed": "An approved payment was reversed or expired",
  "card.transaction.refunded": "The merchant refunded money",
  "card.dispute.updated": "A dispute of a card payment was asked for, went on, or ended",
  "card.wallet-token.created": "A card was added to a digital wallet, or a wallet asked for it",
  "card.wallet-token.changed": "A wallet token changed its status: active, suspended, deleted",
  "physical.card.ordered": "A card is being made from an order",
  "physical.card.order.status.changed": "The shipping status of a card changed",
  "physical.card.activated": "A physical card was activated",
  "physical.card.pin.changed":
    "The PIN was set with the order, or in the sandbox in a secure element; the issuer does not report one that is set in its element",
  "virtual.card.issued": "A virtual card was made",
  "iban.created": "An IBAN was assigned",
  "iban.status.changed": "The status of the IBAN changed",
  "iban.order.received": "Money that was sent to the IBAN arrived in the Safe",
  "account.balance.changed": "The Safe's balance of its token, or the spendable part, changed",
  "account.limit.changed": "A new daily limit is in force on chain",
  "account.withdrawal.completed": "A withdrawal was executed on chain",
  "account.withdrawal.failed": "A withdrawal failed permanently",
};

/** An event's data on the wire. */
export type EventWire<E extends EventType> = z.input<(typeof events)[E]>;
/** The data with which an event is published. Its wire form is stored. */
export type EventData<E extends EventType> = z.output<(typeof events)[E]>;
