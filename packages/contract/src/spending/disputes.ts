/**
 * Disputes of card payments: their reasons, and their way through the issuer and the card network.
 *
 * - evidence: what supports a dispute, as text and files. - credit: money that a dispute returns to the Safe.
 * - reinstated: the issuer returned the money to the operator's account. - rescinded: it took the money back.
 */
import { defineMachine, type StateOf } from "../core/machine.ts";

export const disputeMachine = defineMachine({
  name: "CardDispute.status",
  initial: "requested",
  states: {
    requested: { means: "Asked for; goes to the issuer once the payment is captured", tone: "waiting" },
    created: { means: "At the issuer; waits for evidence, or for its submission", tone: "waiting" },
    submitted: { means: "With the card network", tone: "waiting" },
    won: { means: "Decided for the cardholder", tone: "good" },
    lost: { means: "Decided for the merchant", tone: "bad" },
    expired: { means: "Its last day passed before it was submitted, or nothing was ever captured", tone: "bad" },
    taken_back: { means: "Won, and then the issuer took the money back", tone: "bad" },
    refused: { means: "The issuer does not take it", tone: "bad", isFinal: true },
    withdrawn: { means: "Given up before its submission", isFinal: true },
  },
  transitions: [
    { from: "requested", to: "created", when: "a worker makes it at the issuer" },
    { from: "requested", to: "expired", when: "nothing will be captured any more" },
    { from: "requested", to: "refused", when: "the issuer does not take it" },
    { from: "requested", to: "withdrawn", when: "an operator withdraws it", by: "operator" },
    { from: "created", to: "submitted", when: "its evidence is complete" },
    { from: "created", to: "expired", when: "nothing was submitted by its last day" },
    { from: "created", to: "withdrawn", when: "an operator withdraws it", by: "operator" },
    { from: "created", to: "won", when: "the issuer reports only its end" },
    { from: "created", to: "lost", when: "the issuer reports only its end" },
    { from: "created", to: "taken_back", when: "the issuer reports only its end" },
    { from: "submitted", to: "won", when: "the card network decides" },
    { from: "submitted", to: "lost", when: "the card network decides" },
    { from: "submitted", to: "expired", when: "the issuer took it too late" },
    { from: "submitted", to: "taken_back", when: "the issuer reports only its end" },
    { from: "won", to: "taken_back", when: "the issuer takes the money back" },
    { from: "won", to: "lost", when: "the merchant appeals, and the decision is reversed" },
    { from: "lost", to: "won", when: "the decision is reversed" },
    { from: "lost", to: "taken_back", when: "the decision is reversed twice" },
    { from: "taken_back", to: "won", when: "the issuer reinstates the money again" },
    { from: "taken_back", to: "lost", when: "the merchant appeals, and the decision is reversed" },
    { from: "expired", to: "created", when: "the payment is captured nevertheless" },
    { from: "expired", to: "submitted", when: "the issuer takes it nevertheless" },
    { from: "expired", to: "won", when: "the issuer takes it nevertheless" },
    { from: "expired", to: "lost", when: "the issuer takes it nevertheless" },
  ],
});
export type DisputeStatus = StateOf<typeof disputeMachine>;

/** Stripe accepts a dispute up to this many days after the capture, for every network and reason. */
export const disputeDaysMax = 110;
