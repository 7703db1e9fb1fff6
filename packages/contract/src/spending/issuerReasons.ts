/** Reasons for which the issuer declines without the service, each with its words: see `declineWords.ts`. */
import type { DeclineWords } from "./declineReasons.ts";

const support = "Please contact support.";
const again = "Please try again in a few minutes.";

/** Source: docs.stripe.com/api/issuing/authorizations/object, `request_history.reason`. */
export const issuerReasons = {
  account_disabled: {
    happened: "The issuer has disabled the program's account.",
    remedy: "Contact the issuer at once: no card works.",
    user: `Payments are interrupted. ${again}`,
  },
  card_canceled: {
    happened: "The card is canceled at the issuer.",
    remedy: "Nothing to do: the card has ended. The user may order another one.",
    user: "This card has ended. Use another card.",
  },
  card_expired: {
    happened: "The card has expired.",
    remedy: "Nothing to do: the card has ended. The user may order another one.",
    user: "This card has expired. Use another card.",
  },
  card_inactive: {
    happened: "The card is inactive at the issuer: it is frozen here, or the issuer paused it.",
    remedy:
      "Look at the card's status. The user or support unfreezes a frozen card. If it is active here, a job syncs it: look for that job.",
    user: `This card is not active. Look in the app whether it is frozen. ${again}`,
  },
  cardholder_blocked: {
    happened: "The issuer has blocked the cardholder.",
    remedy: "Ask the issuer for the cause.",
    user: `This card cannot be used. ${support}`,
  },
  cardholder_inactive: {
    happened: "The cardholder is inactive at the issuer.",
    remedy: "Ask the issuer for the cause.",
    user: `This card cannot be used. ${support}`,
  },
  cardholder_verification_required: {
    happened: "The issuer wants the cardholder verified again.",
    remedy: "Complete the cardholder's data at the issuer.",
    user: `This card cannot be used before your data are verified. ${support}`,
  },
  insecure_authorization_method: {
    happened: "The merchant used a method that the issuer does not accept for this payment.",
    remedy: "Nothing to do. The user tries the chip, or another merchant.",
    user: "This way of paying is not accepted. Insert the card, or pay in another way.",
  },
  insufficient_funds: {
    happened: "The program's balance at the issuer is below the amount. The user's own balance is another matter.",
    remedy: "Top up the balance at the issuer.",
    user: `Payments are interrupted for a moment. ${again}`,
  },
  network_fallback: {
    happened: "The card network decided, because it did not reach the issuer.",
    remedy: "Nothing to do, unless it happens often: then ask the issuer.",
    user: `The card network was interrupted. ${again}`,
  },
  not_allowed: {
    happened: "The issuer does not allow this kind of use.",
    remedy: "Look at the merchant's category and the kind of use. Ask the issuer if it should be allowed.",
    user: "This kind of payment is not allowed with this card.",
  },
  stripe_internal_error: {
    happened: "The issuer had a fault of its own.",
    remedy: "Nothing to do, unless it happens often: then ask the issuer.",
    user: `Payments are interrupted for a moment. ${again}`,
  },
  pin_blocked: {
    happened: "The card's PIN is blocked after too many wrong entries.",
    remedy: "Nothing to do. The issuer unblocks the PIN.",
    user: "The PIN is blocked after too many wrong entries. Pay without the PIN, or contact support.",
  },
  spending_controls: {
    happened: "A spending control at the issuer forbids the payment.",
    remedy: "Look at the card's spending controls at the issuer.",
    user: "This kind of payment is not allowed with this card.",
  },
  suspected_fraud: {
    happened: "The issuer suspects fraud.",
    remedy: "Ask the user about the payment. If it was not the user, have the card frozen.",
    user: `This payment was stopped for your protection. ${support}`,
  },
  verification_failed: {
    happened: "The PIN, the security code or the expiry date was wrong.",
    remedy: "Nothing to do. Many of them on one card may be fraud: ask the user to freeze it.",
    user: "The PIN or the card's data were wrong. Check them, then try again.",
  },
  webhook_declined: {
    happened: "The service answered with a decline, and its row has another decision: an approval came too late.",
    remedy: "Look at the decision times on the overview, and for the thread in the log.",
    user: `This payment was declined. ${support}`,
  },
  webhook_error: {
    happened: "The issuer could not read the service's answer.",
    remedy: "Look at the server's log, and at its address and secret at the issuer.",
    user: `Payments are interrupted for a moment. ${again}`,
  },
  webhook_timeout: {
    happened: "The service did not answer the issuer in time.",
    remedy: "Run `cardkeep doctor`: look at the servers, the network and the decision times.",
    user: `Payments are interrupted for a moment. ${again}`,
  },
} as const satisfies Readonly<Record<string, DeclineWords>>;
