/** Cases: what an operator has to settle by hand, of money, of people who may not pay, and of people who ask to be erased. */
import { keysOf } from "../core/keysOf.ts";

/** An operator closes an open case with a reason; a closed one is open again when its amount grows. */
export const cardCaseStatuses = ["OPEN", "CLOSED"] as const;
export type CardCaseStatus = (typeof cardCaseStatuses)[number];

/** Who closes a case that no operator closed. Such a case of an order is opened again. */
export const closedByService = "cardkeep";

/** What each kind of case is about, as a sentence for the operator. */
export const cardCaseKinds = {
  stand_in_shortfall: "The issuer approved a payment without us, and its money did not leave the Safe",
  stand_in_excess: "The issuer approved a payment without us, for more than the settings allow then",
  stand_in_blocked: "The issuer approved a payment without us, of a person whose cards are to be inactive",
  unpaid_capture:
    "A merchant captured more than was approved, or took a refund back, and its money did not leave the Safe",
  over_capture: "A merchant captured more than was approved",
  late_capture: "A merchant captured a payment after it was reversed, expired or declined",
  refused_spend: "The chain refuses the spend of a payment that we approved, on an account that is as it was set up",
  dispute_loss: "A dispute was lost after the cardholder had the money back",
  dispute_taken_back: "A dispute was won, and the issuer took the money back afterwards",
  uncredited_dispute: "The issuer goes on with a dispute that had ended here, or with a second one of a payment",
  double_capture: "A merchant captured again what was captured before, and no money moved for it",
  contradictory_capture: "A merchant took back more than there was and captured more, and no money moved for it",
  unauthorized_payment:
    "A person reported a payment as fraud, and an operator decides about its return by the next business day",
  iban_mint_missing: "An incoming order of the e-money institution is processed, and no mint on chain is its own",
  iban_mint_duplicate: "Two incoming orders of the e-money institution name the same mint on chain",
  iban_mint_unordered: "The e-money institution minted tokens to an account with an IBAN, and no order of it says why",
  iban_recall: "The e-money institution rejects an order that it had processed: the sender's bank recalls the money",
  order_return: "A card order was paid with more than was due, or ended after it was paid",
  iban_to_close: "A person who may have no account has an IBAN, which the e-money institution has to close",
  iban_of_former_safe: "A person gave up a Safe that an IBAN pays into, which the e-money institution has to close",
  return_waiting:
    "Money that goes back to a Safe waits: it is beyond what the spender may return for now, or that Safe was changed and given up",
  refund_request: "Support asks finance to return money of a payment",
  erasure_request: "A person asks to be erased, and compliance decides about it",
  unbooked: "The issuer reports card money that cannot be booked, and none moved for it",
} as const satisfies Record<string, string>;
export type CardCaseKind = keyof typeof cardCaseKinds;

/** Kinds of captures that wait as cases and count towards what a person may leave unpaid. */
export const waitingCaptureKinds: readonly CardCaseKind[] = ["double_capture", "contradictory_capture"];

// The keys of a literal are exactly those of its type.
export const cardCaseKindNames = keysOf(cardCaseKinds);
