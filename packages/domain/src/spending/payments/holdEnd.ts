/** When a hold ends before the issuer says so. */
import { findHoldBeside, findPaidBeside } from "@cardkeep/db/queries/spending/matchedHolds";
import { type CardPayment, updatePayment } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";
import type { MoneyPolicy } from "../../core/policy.ts";
import { isTravel } from "./captureLimit.ts";

const dayMs = 86_400_000;

type HoldPolicy = Pick<MoneyPolicy, "holdDays" | "holdTravelDays">;

/**
 * Whether the last day of a hold is over. A pending authorization is the issuer's to end. One that is closed without a capture
 * is about to be captured, up to its last day.
 */
export function isHoldOver(
  policy: HoldPolicy,
  { now }: Pick<Work, "now">,
  { mcc, createdAt }: Pick<CardPayment, "mcc" | "createdAt">,
  { authorization, clearings }: Pick<ThreadReport, "authorization" | "clearings">,
): boolean {
  if (authorization?.status !== "closed" || clearings.length > 0) return false;
  return now.getTime() >= createdAt.getTime() + holdMs(policy, mcc);
}

const holdMs = (policy: HoldPolicy, mcc: string): number =>
  (isTravel(mcc) ? policy.holdTravelDays : policy.holdDays) * dayMs;

/**
 * Ends a hold beside which the merchant captured the same amount without naming it, once that capture is paid in full. So the
 * person pays once. One capture ends one hold.
 */
export async function matchHold(
  policy: HoldPolicy,
  { tx, now }: Pick<Work, "tx" | "now">,
  payment: CardPayment,
  { authorization, clearings }: Pick<ThreadReport, "authorization" | "clearings">,
): Promise<CardPayment> {
  const isHeld = payment.status === "AUTHORIZED" && authorization?.isApproved === true && clearings.length === 0;
  if (!isHeld || payment.holdEndedAt !== null || payment.merchantNetworkId === null) return payment;
  const until = new Date(payment.createdAt.getTime() + holdMs(policy, payment.mcc));
  const matchedThreadId = await findPaidBeside(tx, payment, until);
  return matchedThreadId === null ? payment : updatePayment(tx, payment, { holdEndedAt: now, matchedThreadId });
}

/** Has the oldest hold looked at again that a paid capture without an authorization may end. */
export async function settleHoldBeside(
  policy: HoldPolicy,
  { tx, requestId }: Pick<Work, "tx" | "requestId">,
  capture: CardPayment,
): Promise<void> {
  if (capture.status !== "CLEARED" || capture.merchantNetworkId === null) return;
  const since = new Date(capture.createdAt.getTime() - holdMs(policy, capture.mcc));
  const threadId = await findHoldBeside(tx, capture, since);
  if (threadId !== null) await enqueue(tx, "card.settle", { threadId, requestId });
}
