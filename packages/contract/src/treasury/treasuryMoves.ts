/**
 * Treasury: moves of the programme's own money, from the settlement account to the issuer and back.
 *
 * - sweep: from the settlement account to the treasury, the operator's address at the e-money institution.
 * - redeem: the institution burns tokens of the treasury and sends the money to an IBAN.
 * - fund: money that was sent to the issuer's funding IBAN and has to arrive there as a top-up.
 * - contribute: the operator's own tokens, from the treasury to the settlement account.
 * - approve: what the spender may return from the settlement account, given anew.
 */
import { defineMachine, type StateOf } from "../core/machine.ts";

/** Every kind of move. */
export const treasuryMoveKinds = ["sweep", "redeem", "fund", "contribute", "approve"] as const;
export type TreasuryMoveKind = (typeof treasuryMoveKinds)[number];

export const treasuryMoveMachine = defineMachine({
  name: "TreasuryMove.status",
  initial: "PLANNED",
  // Money that is announced to the issuer is on its way already.
  begins: ["SENT"],
  states: {
    PLANNED: { means: "Asked for; nothing is signed yet" },
    SIGNED: {
      means: "Signed and kept: a transaction that is sent to the chain, or an order of the e-money institution",
    },
    SENT: { means: "On its way at the institution or the bank" },
    DONE: { means: "It arrived", isFinal: true },
    FAILED: { means: "It moved no money, or was given up", isFinal: true },
  },
  transitions: [
    { from: "PLANNED", to: "FAILED", when: "the chain or the institution rejects it, or a later order withdraws it" },
    { from: "SIGNED", to: "DONE", when: "mined, with the token's own log" },
    { from: "SIGNED", to: "FAILED", when: "the institution rejects the order" },
    { from: "SENT", to: "DONE", when: "the institution processed the order, or the issuer has the top-up" },
    { from: "SIGNED", to: "PLANNED", when: "it reverted, its nonce was lost, or its signature became too old" },
    { from: "SIGNED", to: "SENT", when: "the institution has the order" },
    { from: "SENT", to: "FAILED", when: "the institution rejects the order, or an operator gives the top-up up" },
    { from: "PLANNED", to: "SIGNED", when: "its transaction or its order is signed" },
    { from: "PLANNED", to: "DONE", when: "it is on chain already" },
  ],
  undone: [
    { from: "DONE", to: "SIGNED", when: "its block was removed" },
    { from: "DONE", to: "PLANNED", when: "its block was removed, and none of our transactions was in it" },
    { from: "FAILED", to: "PLANNED", when: "the block of its rejection was removed" },
  ],
});
export type TreasuryMoveStatus = StateOf<typeof treasuryMoveMachine>;

/** Where money may be sent: an account at a bank, or an address on chain. */
export const treasuryDestinationKinds = ["iban", "address"] as const;
export type TreasuryDestinationKind = (typeof treasuryDestinationKinds)[number];
