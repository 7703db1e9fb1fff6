/** When a hold ends before the issuer says so. */
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import { dayMs } from "@cardkeep/contract/core/durations";
import { listStandings } from "@cardkeep/db/queries/cards/cardholders";
import { findHoldBeside, findPaidBeside } from "@cardkeep/db/queries/spending/matchedHolds";
import { type CardPayment, updatePayment } from "@cardkeep/db/queries/spending/payments";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import { findOpenSince, sumUnpaidCents } from "../../core/cardholders/findBlock.ts";
import type { Work } from "../../core/context.ts";
import { atLeastZero, baseUnitsToCents } from "../../core/money.ts";
import type { MoneyPolicy } from "../../core/policy.ts";
import { isTravel } from "./captureLimit.ts";

type HoldPolicy = Pick<MoneyPolicy, "holdDays" | "holdTravelDays">;

/** Whether anything was captured. A refund alone ends no hold. */
const isCaptured = ({ clearings }: Pick<ThreadReport, "clearings">): boolean =>
  clearings.some(({ kind }) => kind === "capture");

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
  if (authorization?.status !== "closed" || isCaptured({ clearings })) return false;
  return now >= findLastInstant(policy, { mcc, createdAt });
}

/** When an authorization ends that the issuer does not end. */
export const findLastInstant = (policy: HoldPolicy, { mcc, createdAt }: Pick<CardPayment, "mcc" | "createdAt">): Date =>
  new Date(createdAt.getTime() + holdMs(policy, mcc));

/**
 * When a payment's authorization expired; null while it has not. The issuer's callback has its date. Where that was lost, it is
 * when the expiry was seen here, which is later: no capture counts as late that was not.
 */
export function findExpiry(
  policy: HoldPolicy,
  { now }: Pick<Work, "now">,
  payment: Pick<CardPayment, "status" | "mcc" | "createdAt" | "expiredAt">,
  report: Pick<ThreadReport, "authorization" | "clearings">,
): Date | null {
  if (payment.expiredAt !== null) return payment.expiredAt;
  const status = report.authorization?.status;
  // A payment whose hold ended here stays expired where the issuer then reverses it, and a capture after that is late too.
  if (status === "expired" || (status === "reversed" && payment.status === "EXPIRED")) return now;
  return isHoldOver(policy, { now }, payment, report) ? findLastInstant(policy, payment) : null;
}

type Held = Pick<CardPayment, "target" | "capturedCents" | "refundedCents">;

/** Cents that a payment of a Safe's token holds: what shall have left the Safe without what was captured and not refunded. */
export const computeHeldCents = (
  { target, capturedCents, refundedCents }: Held,
  tokenSymbol: TokenSymbol | null,
): bigint =>
  tokenSymbol === null
    ? 0n
    : atLeastZero(baseUnitsToCents(target, tokens[tokenSymbol]) - capturedCents + refundedCents);

/** Whether operators may end the hold of a payment. One of nothing ends by hand as long as nothing was captured. */
export const canRelease = (
  payment: Held & Pick<CardPayment, "status" | "holdEndedAt">,
  tokenSymbol: TokenSymbol | null,
): boolean =>
  payment.status === "AUTHORIZED" &&
  payment.holdEndedAt === null &&
  (payment.capturedCents === 0n || computeHeldCents(payment, tokenSymbol) > 0n);

const holdMs = (policy: HoldPolicy, mcc: string): number =>
  (isTravel(mcc) ? policy.holdTravelDays : policy.holdDays) * dayMs;

/**
 * Ends a hold beside which the merchant captured the same amount without naming it, once that capture is paid in full. So the
 * person pays once. One capture ends one hold.
 *
 * As long as the issuer has the hold, the merchant may capture it too, and the issuer pays both. So all that a person may cost stays
 * below `UNPAID_CENTS_MAX` with it; any other hold stays until the issuer ends it, or operators do. The caller holds the person's lock.
 */
export async function matchHold(
  policy: HoldPolicy & Pick<MoneyPolicy, "unpaidCentsMax">,
  { tx, now }: Pick<Work, "tx" | "now">,
  payment: CardPayment,
  { authorization, clearings }: Pick<ThreadReport, "authorization" | "clearings">,
): Promise<CardPayment> {
  const isHeld = payment.status === "AUTHORIZED" && authorization?.isApproved === true && !isCaptured({ clearings });
  if (!isHeld || payment.holdEndedAt !== null || payment.merchantNetworkId === null) return payment;
  const heldCents = payment.authorizedCents - payment.reversedCents;
  // It grew at the issuer without us: the capture paid a part of it.
  if (authorization.amountCents > heldCents) return payment;
  const matchedThreadId = await findPaidBeside(tx, payment, findLastInstant(policy, payment));
  if (matchedThreadId === null) return payment;
  const isOpen = authorization.status === "pending" || authorization.status === "closed";
  if (isOpen && !(await isBelowBound(policy, { tx, now }, payment, heldCents))) return payment;
  return updatePayment(tx, payment, { holdEndedAt: now, matchedThreadId });
}

/** Whether a person costs less than the bound with so many cents more. */
async function isBelowBound(
  policy: HoldPolicy & Pick<MoneyPolicy, "unpaidCentsMax">,
  { tx, now }: Pick<Work, "tx" | "now">,
  { userId }: Pick<CardPayment, "userId">,
  cents: bigint,
): Promise<boolean> {
  const [standing] = await listStandings(tx, [userId], findOpenSince(policy, now));
  return standing !== undefined && sumUnpaidCents(standing) + cents < policy.unpaidCentsMax;
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
