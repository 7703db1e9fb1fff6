/** Reasons of our own decisions to decline, each with its words: see `declineWords.ts`. */
import type { PaymentResult } from "./cardEvents.ts";

const support = "Please contact support.";
const inApp = "Look at the card's limits in the app, or contact support.";
const ofRule = "The payment's page names the rule. Change the rule with `cardkeep rules` if it is wrong.";
const again = "Please try again in a few minutes.";

/** `result` is the status that card history shows for it. */
export const declineReasons = {
  payments_stopped: {
    result: "Other",
    happened: "An operator has stopped all card payments.",
    remedy:
      "See the reason in `cardkeep stops list`. An operator resumes them with `cardkeep stops set card-payments off --reason …`.",
    user: `Card payments are stopped for the moment. ${again}`,
  },
  card_not_activated: {
    result: "Other",
    happened: "The card is not activated yet.",
    remedy: "Ask the user to activate the card in the app.",
    user: "This card is not activated yet. Activate it in the app, then try again.",
  },
  card_not_active: {
    result: "Other",
    happened: "The card is frozen, reported lost or stolen, closed after a report of fraud, or ended.",
    remedy: "Look at the card's status. The user unfreezes a frozen card; any other is replaced by a new one.",
    user: "This card is not active. Look at its status in the app.",
  },
  card_unknown: {
    result: "Other",
    happened: "The issuer asked about a card that has no row here.",
    remedy: "Compare the card with the issuer's list. After a restore of the database, run `cardkeep reconcile`.",
    user: `This card cannot be used. ${support}`,
  },
  user_deactivated: {
    result: "Other",
    happened: "The user is deactivated.",
    remedy: "Activate the user if the cause of the deactivation is gone.",
    user: `Your account is deactivated. ${support}`,
  },
  kyc_not_approved: {
    result: "Other",
    happened: "The user's identity verification is not approved.",
    remedy: "Look at the user's KYC status. The identity provider decides about it.",
    user: "Your identity verification is not complete. Complete it in the app, then try again.",
  },
  risk_incompatible: {
    result: "Other",
    happened: "The user's answers about the source of funds are rated red.",
    remedy: "Look at the answers. An operator changes the rating with `cardkeep users risk`.",
    user: `This card cannot be used. ${support}`,
  },
  contact_changed: {
    result: "Other",
    happened:
      "The user's phone number or mail address was changed recently, and the payment was proved by 3-D Secure or by a new wallet token.",
    remedy:
      "Nothing to do: it works again when CONTACT_WINDOW_HOURS are over. The former contact had a message about it.",
    user: "A contact of your account was changed recently. Payments that need a code work again later.",
  },
  account_not_ready: {
    result: "Other",
    happened: "The user's Safe is not in service: it has no currency, or its set-up is not done.",
    remedy: "Look at the Safe's status on the user's page. The user chooses the currency; a job does the set-up.",
    user: "Your account is not ready yet. Complete its set-up in the app, then try again.",
  },
  account_paused: {
    result: "Other",
    happened: "An operation of the Safe is under way: a withdrawal, a change of its limit or of its owners.",
    remedy: "Wait until the operation ends. The user's page lists it.",
    user: "Your cards pause while an operation of your account is under way. Try again when it is done.",
  },
  account_changed: {
    result: "Other",
    happened: "The Safe is not as it was set up: a module, a role or its queue was changed past the service.",
    remedy: "Look at the violations on the user's page, and follow the section on changed accounts in the handbook.",
    user: `Your account's set-up has changed, so its cards are blocked. ${support}`,
  },
  account_owes: {
    result: "Other",
    happened: "The user owes for earlier card payments.",
    remedy: "Nothing to do: the debt is collected at the user's next deposit.",
    user: "An earlier payment is not covered. Deposit money into your account, then try again.",
  },
  captures_in_question: {
    result: "Other",
    happened:
      "Captures that repeat or contradict others, and holds that ended beside a capture, come to UNPAID_CENTS_MAX or more.",
    remedy:
      "Settle the user's open cases `double_capture` and `contradictory_capture` with the card issuer. Without such cases it ends with the holds at the issuer.",
    user: `A merchant's charges do not add up. Your cards are blocked while we settle them. ${support}`,
  },
  invalid_amount: {
    result: "InvalidAmount",
    happened: "The amount is below zero.",
    remedy: "Ask the issuer about the merchant's request.",
    user: "The merchant sent an invalid amount. Ask the merchant to try again.",
  },
  currency_not_supported: {
    result: "Other",
    happened: "The issuer asked in a currency that is not the account's.",
    remedy: "Compare the card's currency at the issuer with the Safe's token.",
    user: `This payment's currency cannot be charged to your account. ${support}`,
  },
  incorrect_security_code: {
    result: "IncorrectSecurityCode",
    happened: "The merchant sent a wrong security code of the card.",
    remedy: "Nothing to do. Many of them on one card may be fraud: ask the user to freeze it.",
    user: "The security code was wrong. Check the three digits of the card.",
  },
  category_blocked: {
    result: "Other",
    happened: "A card rule declines the merchant's category.",
    remedy: ofRule,
    user: `This kind of shop is not allowed for this card. ${inApp}`,
  },
  country_blocked: {
    result: "Other",
    happened: "A card rule declines the merchant's country.",
    remedy: ofRule,
    user: `Payments in this country are not allowed for this card. ${inApp}`,
  },
  channel_blocked: {
    result: "Other",
    happened: "A card rule declines the way in which the card was used.",
    remedy: ofRule,
    user: `This way of paying is not allowed for this card. ${inApp}`,
  },
  currency_blocked: {
    result: "Other",
    happened: "A card rule declines the merchant's currency.",
    remedy: ofRule,
    user: `Payments in this currency are not allowed for this card. ${inApp}`,
  },
  amount_blocked: {
    result: "ExceedsApprovalAmountLimit",
    happened: "A card rule declines the amount of this single payment.",
    remedy: ofRule,
    user: `This amount is not allowed for one payment with this card. ${inApp}`,
  },
  merchant_blocked: {
    result: "Other",
    happened: "A card rule declines the merchant.",
    remedy: ofRule,
    user: `This shop is not allowed for this card. ${inApp}`,
  },
  merchant_new: {
    result: "Other",
    happened: "A card rule declines merchants that were never paid before.",
    remedy: ofRule,
    user: `First payments to a new shop are not allowed for this card. ${inApp}`,
  },
  count_exceeded: {
    result: "ExceedsApprovalAmountLimit",
    happened: "A card rule limits the number of payments, and this one would be above it.",
    remedy: ofRule,
    user: `This card has made as many payments as it may. ${inApp}`,
  },
  sum_exceeded: {
    result: "ExceedsApprovalAmountLimit",
    happened: "A card rule limits the sum of payments, and this one would be above it.",
    remedy: ofRule,
    user: `This payment is above a spending limit of this card. ${inApp}`,
  },
  insufficient_funds: {
    result: "InsufficientFunds",
    happened: "The Safe's balance, less what is held for earlier payments, is below the amount.",
    remedy: "Nothing to do. The user's page shows balance and holds.",
    user: "There is not enough money in your account. Deposit money, then try again.",
  },
  limit_exceeded: {
    result: "ExceedsApprovalAmountLimit",
    happened: "The amount is above what is left of the Safe's daily limit.",
    remedy: "Nothing to do. The limit refills by the day; the user may raise it in the app.",
    user: "This payment is above your daily limit. Try again tomorrow, or raise the limit in the app.",
  },
  chain_stale: {
    result: "Other",
    happened: "The chain or our transactions have stood still for too long to approve anything.",
    remedy: "Run `cardkeep doctor`: look at the node, the relayers and the oldest job.",
    user: `Payments are interrupted for a moment. ${again}`,
  },
  unavailable: {
    result: "Other",
    happened: "No decision was ready in time: the node or the database did not answer.",
    remedy:
      "Run `cardkeep doctor`, and look at the decision times on the overview. Outside production, `DECISION_MS` gives a busy machine more time.",
    user: `Payments are interrupted for a moment. ${again}`,
  },
  authorization_unknown: {
    result: "Other",
    happened: "The merchant wanted to raise an authorization that has no payment here or was declined.",
    remedy: "Nothing to do. A worker asks the issuer about the thread; the merchant may ask again.",
    user: "The merchant could not raise the amount. Ask the merchant to try again.",
  },
  authorization_ended: {
    result: "Other",
    happened:
      "The merchant wanted to raise an authorization that was captured, reversed or expired, or that the chain refused to move.",
    remedy: "Nothing to do. The merchant asks for a new authorization of the difference.",
    user: "The merchant could not raise the amount. Ask the merchant to charge the difference by itself.",
  },
  thread_conflict: {
    result: "Other",
    happened: "The issuer asked twice with one id, and card, amount or currency differ.",
    remedy: "Ask the issuer. The first decision stands, and nothing was changed.",
    user: "This payment was sent twice in different forms. Ask the merchant to try again.",
  },
  unreadable_request: {
    result: "Other",
    happened: "The issuer's request could not be read.",
    remedy: "Look for the request in the log. The issuer's version of the API may have changed.",
    user: `This payment could not be read. ${again}`,
  },
} as const satisfies Readonly<Record<string, DeclineWords & { result: PaymentResult }>>;
export type DeclineReason = keyof typeof declineReasons;

/** The words of a reason. */
export interface DeclineWords {
  /** What happened. */
  readonly happened: string;
  /** What the operator can do. */
  readonly remedy: string;
  /** What the cardholder reads. It names no rule that helps a thief. */
  readonly user: string;
}
