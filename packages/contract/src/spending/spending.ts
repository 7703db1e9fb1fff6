/**
 * Card money: payments and what follows them.
 *
 * - thread: all events of one use of a card; its id is the issuer's.
 * - payment: a thread's authorization.
 * - clearing: the merchant's capture, for less, for more, or in several parts.
 * - reversal: a cancelled authorization, in whole or in part.
 * - refund: money that a merchant returns.
 * - transfer: the movement of the money on chain.
 */
import { dayMs } from "../core/durations.ts";
import { defineMachine, type StateOf } from "../core/machine.ts";

export const paymentMachine = defineMachine({
  name: "CardPayment.status",
  initial: "REQUESTED",
  // Decided in the commit that inserts it.
  begins: ["AUTHORIZED", "DECLINED"],
  states: {
    REQUESTED: { means: "Reported by the issuer; not decided yet" },
    DECLINED: { means: "Declined, by the service or by the issuer" },
    AUTHORIZED: { means: "Approved: its amount is held, and moves to the settlement account" },
    REVERSED: { means: "Reversed by the merchant before it was cleared; the money is returned" },
    EXPIRED: { means: "Never cleared; the money is returned" },
    CLEARED: { means: "Captured by the merchant; refunds may follow", isFinal: true },
    CREDITED: { means: "A refund without a payment", isFinal: true },
  },
  transitions: [
    { from: "REQUESTED", to: "AUTHORIZED", when: "card, balance and allowance permit it" },
    { from: "REQUESTED", to: "DECLINED", when: "one of them does not, or the issuer declines" },
    { from: "REQUESTED", to: "CLEARED", when: "it is cleared without an authorization" },
    { from: "REQUESTED", to: "REVERSED", when: "the issuer reports it only when it is reversed" },
    { from: "REQUESTED", to: "EXPIRED", when: "the issuer reports it only when it has expired" },
    { from: "REQUESTED", to: "CREDITED", when: "a refund without a payment" },
    { from: "AUTHORIZED", to: "CLEARED", when: "its clearing, or the last of several" },
    { from: "AUTHORIZED", to: "REVERSED", when: "the merchant reverses it" },
    { from: "AUTHORIZED", to: "EXPIRED", when: "the merchant did not capture it in time" },
    { from: "AUTHORIZED", to: "DECLINED", when: "our approval came too late for the issuer" },
    { from: "DECLINED", to: "AUTHORIZED", when: "the issuer approved it without us" },
    { from: "DECLINED", to: "CLEARED", when: "it is cleared nevertheless" },
    { from: "REVERSED", to: "CLEARED", when: "it is cleared nevertheless" },
    { from: "EXPIRED", to: "CLEARED", when: "it is cleared nevertheless" },
  ],
});
export type PaymentStatus = StateOf<typeof paymentMachine>;

/** An authorization that stood still for so long is compared with the issuer's: its callback may be lost. */
export const callbackMsMax = dayMs;

export const transferMachine = defineMachine({
  name: "CardTransfer.status",
  initial: "PLANNED",
  states: {
    PLANNED: { means: "Not signed yet; waits for earlier transfers of its thread" },
    SIGNED: { means: "Sent to the chain" },
    DONE: { means: "On chain", isFinal: true },
    FAILED: { means: "The chain rejected it, or it ran and moved no money", isFinal: true },
  },
  transitions: [
    { from: "PLANNED", to: "SIGNED", when: "the spender signed it, and a relayer's transaction" },
    { from: "PLANNED", to: "DONE", when: "it is already on chain" },
    { from: "PLANNED", to: "FAILED", when: "the chain rejects it, or it ran and moved no money" },
    { from: "SIGNED", to: "DONE", when: "mined, with the token's transfer" },
    { from: "SIGNED", to: "FAILED", when: "mined, and reverted or without the token's transfer" },
    {
      from: "SIGNED",
      to: "PLANNED",
      when: "a return reverted and is still owed, or another transaction used its nonce",
    },
  ],
  undone: [
    { from: "DONE", to: "PLANNED", when: "its block was removed, and none of our transactions was in it" },
    { from: "FAILED", to: "PLANNED", when: "the block of its rejection was removed, or it ran after all" },
    { from: "DONE", to: "SIGNED", when: "its block was removed" },
    { from: "FAILED", to: "SIGNED", when: "its block was removed" },
  ],
});
export type TransferStatus = StateOf<typeof transferMachine>;
