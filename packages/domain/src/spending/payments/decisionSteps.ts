/** The decisions about a payment, one line each, in words for operators. */
import { describeDecline } from "@cardkeep/contract/spending/declineWords";
import type { CardDecision } from "@cardkeep/db/queries/spending/decisions";
import { cleanText } from "../../core/wording.ts";
import { formatCents, formatMinor } from "./formatMoney.ts";
import type { PaymentDetails } from "./listAllPayments.ts";

/** One step of a payment. A hash or a block has a fact of its own. */
export interface PaymentStep {
  at: Date;
  /** What happened, in a word or two. */
  word: string;
  facts: string[];
  /** The money that it is about. */
  amount?: string;
  /** The ordinal of the transfer that it belongs to. */
  transfer?: number;
}

/** The first decision with its merchant, and each increment of the authorization. */
export function listDecisionSteps(details: PaymentDetails): PaymentStep[] {
  const { payment, decline, decisions } = details;
  const [first, ...increments] = decisions;
  const currency = payment.billingCurrency;
  const place = [payment.merchantName, payment.merchantCity, payment.merchantCountry]
    .flatMap((text) => (text === null ? [] : cleanText(text).trim()))
    .join(", ");
  const at = payment.createdAt;
  if (payment.status === "CREDITED")
    return [{ at, word: "credited", facts: [`a refund without a payment of ${place}`] }];
  const raised = increments.map((increment) => describeIncrement(increment, currency));
  const amount = formatCents(first?.askedCents ?? payment.authorizedCents, currency);
  const asked = `${amount}${describeForeign(details)}`;
  if (decline && first?.isApproved !== true) {
    const { code, happened, remedy } = decline;
    const facts = [asked, place, `${code ?? "no reason"}: ${happened}`, remedy];
    return [{ at, word: "declined", facts, amount }, ...raised];
  }
  const parts = first ? describeParts(first, currency) : [];
  const isCleared = first === undefined && payment.status === "CLEARED";
  const word = isCleared ? "cleared without an authorization" : "authorized";
  const later = decline ? [{ at: payment.updatedAt, word: "declined", facts: [decline.happened, decline.remedy] }] : [];
  return [{ at, word, facts: [asked, place, ...parts], amount }, ...raised, ...later];
}

/** The merchant's amount, where its currency is another one and no increment has changed it. */
const describeForeign = ({ payment, decisions }: PaymentDetails): string =>
  payment.merchantCurrency === payment.billingCurrency || decisions.length > 1
    ? ""
    : `, the merchant's ${formatMinor(payment.merchantMinor, payment.merchantCurrency)}`;

function describeIncrement(decision: CardDecision, currency: string): PaymentStep {
  const { isApproved, askedCents, reason, createdAt: at } = decision;
  const amount = formatCents(askedCents, currency);
  const asked = `${amount} more`;
  if (isApproved) return { at, word: "raised", facts: [asked, ...describeParts(decision, currency)], amount };
  const { happened, remedy } = describeDecline(reason);
  return { at, word: "raise declined", facts: [asked, `${reason}: ${happened}`, remedy], amount };
}

/** What a decision has beyond its amount. */
function describeParts(
  { isApproved, isByIssuer, askedCents, approvedCents, feeCents, cashbackCents }: CardDecision,
  currency: string,
): string[] {
  return [
    isApproved && approvedCents < askedCents ? `approved in part: ${formatCents(approvedCents, currency)}` : null,
    feeCents > 0n ? `of it ${formatCents(feeCents, currency)} are the fee of the machine's owner` : null,
    cashbackCents > 0n ? `of it ${formatCents(cashbackCents, currency)} are cash` : null,
    isByIssuer ? "decided by the issuer" : null,
  ].filter((fact) => fact !== null);
}
