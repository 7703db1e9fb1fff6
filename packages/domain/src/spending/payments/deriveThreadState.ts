/** The state that follows from the issuer's report of a thread. Pure: the order in which reports arrive does not matter. */
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import type { CardDecision } from "@cardkeep/db/queries/spending/decisions";
import type { ClearingKind, ThreadReport } from "@cardkeep/providers/issuer/spending";
import { atLeastZero, greatest, least, sumOf } from "../../core/money.ts";
import { sumClearings, sumKind } from "./clearingSums.ts";

/** A payment as the issuer has it, in minor units of the card's currency. */
export interface ThreadState {
  status: PaymentStatus;
  authorizedCents: bigint;
  reversedCents: bigint;
  capturedCents: bigint;
  /** The captures in the merchant's minor units. */
  capturedMinor: bigint;
  refundedCents: bigint;
  /** Captured beyond what was approved and not reversed. */
  excessCents: bigint;
  /** What should have left the Safe; below zero for a refund alone. */
  targetCents: bigint;
}

/** Our own decision about one request of the thread. */
export type OwnDecision = Pick<CardDecision, "ordinal" | "isApproved" | "approvedCents">;

type Authorization = NonNullable<ThreadReport["authorization"]>;

/**
 * Derives the state from a report. `known` is the earlier state: a reversed amount stays reversed, and what expired does
 * not, because merchants capture late. A hold that ended here counts as one that expired.
 *
 * @param decisions our own about this thread. An approval of a part counts with that part. An approval whose answer the
 *   issuer has not recorded yet counts as held, so that its money does not go back and forth.
 */
export function deriveThreadState(
  { authorization, clearings }: ThreadReport,
  known: (Pick<ThreadState, "status" | "reversedCents"> & { isHoldEnded?: boolean }) | null,
  decisions: readonly OwnDecision[] = [],
): ThreadState {
  const sumMinor = (kind: ClearingKind) =>
    sumOf(clearings.filter((clearing) => clearing.kind === kind).map(({ merchantMinor }) => merchantMinor));
  // At the rates of the two days less can be left than nothing.
  const capturedMinor = atLeastZero(sumMinor("capture") - sumMinor("capture_reversal"));
  const { capturedCents, refundedCents } = sumClearings(clearings);
  // A part that was captured and taken back is not held or reversed again.
  const onceCaptured = sumKind(clearings, "capture");
  const hasCapture = clearings.some(({ kind }) => kind === "capture");
  if (!authorization) {
    const status = hasCapture ? "CLEARED" : "CREDITED";
    const authorizedCents = hasCapture ? onceCaptured : refundedCents;
    const targetCents = capturedCents - refundedCents;
    const excessCents = capturedCents;
    const amounts = { authorizedCents, reversedCents: 0n, capturedCents, capturedMinor, refundedCents, excessCents };
    return { status, ...amounts, targetCents };
  }
  const { isApproved, amountCents } = authorization;
  const isEndedHere = known?.isHoldEnded === true;
  const isEnded = isEndedHere && isApproved && !hasCapture;
  const status = isEnded && authorization.status !== "reversed" ? "expired" : authorization.status;
  const recordedCents = greatest(sumRequests(authorization, decisions), amountCents);
  const unrecordedCents = sumUnrecorded({ ...authorization, status }, decisions);
  const authorizedCents = recordedCents + unrecordedCents;
  const isGivenUp = status === "reversed" || status === "expired";
  // A zero amount on a closed authorization means that nothing is held, not that it was reversed.
  const isReported = status === "pending" || amountCents > 0n;
  const reversed = isGivenUp ? recordedCents - onceCaptured : isReported ? recordedCents - amountCents : 0n;
  const isExpired = status === "expired";
  const keptCents = isExpired || known?.status === "EXPIRED" ? 0n : (known?.reversedCents ?? 0n);
  const reversedCents = isApproved ? greatest(keptCents, reversed) : 0n;
  const leftCents = isExpired ? recordedCents : recordedCents - reversedCents;
  const standingCents = isReported && !isGivenUp ? amountCents : leftCents;
  // An authorization that is closed before its capture is reported is about to be captured.
  const isAwaited = status === "pending" || (status === "closed" && !hasCapture);
  const isHeld = isApproved && isAwaited && !isEndedHere;
  const heldCents = isHeld ? atLeastZero(standingCents + unrecordedCents - onceCaptured) : 0n;
  const excessCents = atLeastZero(capturedCents - (isApproved ? standingCents : 0n));
  const amounts = { authorizedCents, reversedCents, capturedCents, capturedMinor, refundedCents, excessCents };
  const targetCents = capturedCents - refundedCents + heldCents;
  // Nothing more is held for further captures, also where the issuer keeps it open.
  const isOpen = isApproved && status === "pending" && !isEndedHere;
  return { status: statusOf({ isApproved, status }, { hasCapture, isOpen, authorizedCents }), ...amounts, targetCents };
}

/** What the issuer's requests come to: those that were approved, or all of an authorization that was declined. */
function sumRequests({ requests }: Authorization, decisions: readonly OwnDecision[]): bigint {
  const isAnyApproved = requests.some(({ isApproved }) => isApproved);
  return sumOf(
    requests.map(({ isApproved, amountCents, decidedBy }, ordinal) => {
      if (isAnyApproved && !isApproved) return 0n;
      const own = decisions.find((decision) => decision.ordinal === ordinal && decision.isApproved);
      // The issuer approved the whole where it did not take our answer.
      return isApproved && own && decidedBy === "service" ? least(own.approvedCents, amountCents) : amountCents;
    }),
  );
}

/** What we approved and the issuer has not recorded: its answer is on its way. */
const sumUnrecorded = ({ status, requests }: Authorization, decisions: readonly OwnDecision[]): bigint =>
  status === "pending"
    ? sumOf(decisions.filter(({ ordinal }) => ordinal >= requests.length).map(({ approvedCents }) => approvedCents))
    : 0n;

function statusOf(
  { isApproved, status }: Pick<Authorization, "isApproved" | "status">,
  { hasCapture, isOpen, authorizedCents }: { hasCapture: boolean; isOpen: boolean; authorizedCents: bigint },
): PaymentStatus {
  if (hasCapture && !isOpen) return "CLEARED";
  if (!isApproved) return "DECLINED";
  if (status === "reversed") return "REVERSED";
  if (status === "expired") return "EXPIRED";
  // Nothing will be captured of an account verification.
  return status === "closed" && authorizedCents === 0n ? "CLEARED" : "AUTHORIZED";
}
