/** The state and the credit that follow from the issuer's report of a dispute. Pure: the order of reports does not matter. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { DisputeStatus } from "@cardkeep/contract/spending/disputes";
import type { DisputeReason } from "@cardkeep/contract/core/disputeReasons";
import type { CardClearing, CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { DisputeReport, IssuerDisputeReason } from "@cardkeep/providers/issuer/disputes";
import type { MoneyPolicy } from "../../core/policy.ts";
import { least } from "../../core/money.ts";
import { findLastInstant } from "../payments/holdEnd.ts";

/** The issuer's reason for each of ours. */
const issuerReasons: Readonly<Record<DisputeReason, IssuerDisputeReason>> = {
  purchase_cancelled_but_no_refund_received: "canceled",
  problem_with_the_product_chargeback_: "merchandise_not_as_described",
  problem_with_service_subscription_chargeback: "service_not_as_described",
  wrong_installment_number: "other",
  wrong_value: "other",
  charged_more_than_once: "duplicate",
  unrecognized_transaction_report_fraudulent: "fraudulent",
};

/** Reasons that hold as well where the merchant had no authorization for the capture. */
const aboutAmount: readonly DisputeReason[] = [
  "wrong_value",
  "wrong_installment_number",
  "unrecognized_transaction_report_fraudulent",
];

/** The issuer's reason for a dispute, by what its evidence and its capture show beside the person's reason. */
export function deriveIssuerReason(
  reason: DisputeReason,
  shown: { isNotReceived: boolean; isUnauthorized: boolean },
): IssuerDisputeReason {
  if (shown.isNotReceived) return "not_received";
  return shown.isUnauthorized && aboutAmount.includes(reason) ? "no_valid_authorization" : issuerReasons[reason];
}

/**
 * Whether a merchant had no valid authorization for its capture: nothing of what it captured was approved, or it came after
 * the authorization expired. Where that is not known, an authorization holds for the days of the settings.
 */
export function isUnauthorized(
  payment: Pick<CardPayment, "capturedCents" | "excessCents" | "mcc" | "createdAt" | "expiredAt">,
  { postedAt }: Pick<CardClearing, "postedAt">,
  policy: Pick<MoneyPolicy, "holdDays" | "holdTravelDays">,
): boolean {
  const { capturedCents, excessCents, expiredAt } = payment;
  const isLate = postedAt > (expiredAt ?? findLastInstant(policy, payment));
  return isLate || (capturedCents > 0n && excessCents >= capturedCents);
}

/** From so long before its last instant on, a dispute is submitted as it is. */
const leadMs = dayMs;

/**
 * Whether a dispute is to be submitted now: for an operator, on its last day, or once nothing is missing. Where the settings
 * want a review, an operator decides until its last day.
 */
export function isToBeSubmitted(
  { disputeSubmission }: Pick<MoneyPolicy, "disputeSubmission">,
  given: { isForced: boolean; isComplete: boolean; submitBy: Date | null; now: Date },
): boolean {
  const { isForced, isComplete, submitBy, now } = given;
  if (isForced || (submitBy !== null && submitBy.getTime() - leadMs <= now.getTime())) return true;
  return isComplete && disputeSubmission === "words";
}

/** Our reason for each of the issuer's, for disputes that were made at the issuer. */
export const ownReasons: Readonly<Record<IssuerDisputeReason, DisputeReason>> = {
  canceled: "purchase_cancelled_but_no_refund_received",
  merchandise_not_as_described: "problem_with_the_product_chargeback_",
  not_received: "problem_with_the_product_chargeback_",
  service_not_as_described: "problem_with_service_subscription_chargeback",
  other: "wrong_value",
  duplicate: "charged_more_than_once",
  fraudulent: "unrecognized_transaction_report_fraudulent",
  no_valid_authorization: "unrecognized_transaction_report_fraudulent",
};

/** The status that the issuer reports; null for one that is not known here. */
export function deriveDisputeStatus({
  status,
  isRescinded,
  reinstatedCents,
}: Pick<DisputeReport, "status" | "isRescinded" | "reinstatedCents">): DisputeStatus | null {
  if (status === "unsubmitted") return "created";
  return status === "won" && isRescinded && reinstatedCents === 0n ? "taken_back" : status;
}

/**
 * Cents that a dispute returns to the Safe. It counts up to what the payment moved and did not get back: see
 * `chainTargetOf`.
 *
 * Money that the issuer returned is credited once the dispute is won. Before, and while nothing has arrived, the operator
 * advances it if the settings say so, up to a bound.
 */
export function computeCredit(
  { disputeCredit, disputeAdvanceCentsMax }: Pick<MoneyPolicy, "disputeCredit" | "disputeAdvanceCentsMax">,
  { status, amountCents, reinstatedCents }: { status: DisputeStatus; amountCents: bigint; reinstatedCents: bigint },
): bigint {
  if (disputeCredit === "none" || (status !== "won" && status !== "submitted")) return 0n;
  if (status === "won" && reinstatedCents > 0n) return reinstatedCents;
  return disputeCredit === "provisional" ? least(amountCents, disputeAdvanceCentsMax) : 0n;
}
