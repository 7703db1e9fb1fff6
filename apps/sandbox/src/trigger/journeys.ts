/**
 * A journey for each kind of event: the person that it needs, and the steps after that.
 *
 * The person is subscribed to the partner `sandbox`, and everything goes through the public API and the partners.
 */
import type { EventType } from "@cardkeep/contract/partners/events";
import type { PersonOptions } from "../people/createPerson.ts";
import { answerQuestions, verifyPhone } from "../people/openAccount.ts";
import {
  blockGambling,
  addToWallet,
  freeze,
  orderWithPin,
  pay,
  payAndClear,
  payAndDispute,
  payAndRedeem,
  payAndRefund,
  payAndReverse,
  payTooMuch,
  suspendInWallet,
} from "./cards.ts";
import { addOwner, changeLimit, loseWithdrawal, removeOwner, withdraw } from "./delayed.ts";
import { receiveMoney } from "./ibans.ts";
import type { Journey } from "./journey.ts";

const signedUp: PersonOptions = {};
const approved: PersonOptions = { kyc: "approved" };
const withSafe: PersonOptions = { safe: true };
const withMoney: PersonOptions = { balance: "100" };
const withVirtualCard: PersonOptions = { card: "virtual" };
const withPhysicalCard: PersonOptions = { card: "physical" };
const withIban: PersonOptions = { iban: true };
const spender: PersonOptions = { balance: "100", card: "virtual" };

export const journeys: Readonly<Record<EventType, Journey>> = {
  "user.created": { person: signedUp },
  "user.tos.accepted": { person: signedUp },
  "kyc.status.changed": { person: approved },
  "kyc.source-of-funds.changed": { person: approved, play: answerQuestions },
  "kyc.phone-validation.changed": { person: approved, play: verifyPhone },
  "safe.created": { person: withSafe },
  "safe.currency.updated": { person: withSafe },
  "safe.modules.deployed": { person: withSafe },
  "safe.owner.added": { person: withSafe, play: addOwner },
  "safe.owner.removed": { person: withSafe, play: removeOwner },
  "card.controls.changed": { person: withVirtualCard, play: blockGambling },
  "card.status.changed": { person: withVirtualCard, play: freeze },
  "card.wallet-token.created": { person: withVirtualCard, play: addToWallet },
  "card.wallet-token.changed": { person: withVirtualCard, play: suspendInWallet },
  "physical.card.ordered": { person: withPhysicalCard },
  "physical.card.order.status.changed": { person: withPhysicalCard },
  "physical.card.activated": { person: withPhysicalCard },
  "physical.card.pin.changed": { person: withSafe, play: orderWithPin },
  "virtual.card.issued": { person: withVirtualCard },
  "account.balance.changed": { person: withMoney },
  "account.limit.changed": { person: withSafe, play: changeLimit },
  "account.withdrawal.completed": { person: withMoney, play: withdraw },
  "account.withdrawal.failed": { person: withMoney, play: loseWithdrawal },
  "iban.created": { person: withIban },
  "iban.status.changed": { person: withIban },
  "iban.order.received": { person: withIban, play: receiveMoney },
  "card.transaction.created": { person: spender, play: pay },
  "card.transaction.confirmed": { person: spender, play: pay },
  "card.transaction.failed": { person: spender, play: payAndRedeem },
  "card.transaction.cleared": { person: spender, play: payAndClear },
  "card.transaction.declined": { person: spender, play: payTooMuch },
  "card.transaction.reversed": { person: spender, play: payAndReverse },
  "card.transaction.refunded": { person: spender, play: payAndRefund },
  "card.dispute.updated": { person: spender, play: payAndDispute },
};
