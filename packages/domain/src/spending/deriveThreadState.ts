/** The state that follows from the issuer's report of a thread. Pure: the order in which reports arrive does not matter. */
import type { PaymentStatus } from "@cardkeep/contract/spending";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";

/** A payment as the issuer has it, in minor units of the card's currency. */
export interface ThreadState {
  status: PaymentStatus;
  authorizedCents: bigint;
  reversedCents: bigint;
  capturedCents: bigint;
  refundedCents: bigint;
  /** Captured beyond what was approved and not reversed. */
  excessCents: bigint;
  /** What should have left the Safe; below zero for a refund alone. */
  targetCents: bigint;
}

const max = (...amounts: bigint[]): bigint => amounts.reduce((a, b) => (b > a ? b : a), 0n);

/** Derives the state from a report. `known` is the earlier state: a reversed amount stays reversed. */
export function deriveThreadState(
  { authorization, clearings }: ThreadReport,
  known: Pick<ThreadState, "authorizedCents" | "reversedCents"> | null,
): ThreadState {
  const sumOf = (kind: "capture" | "refund") =>
    clearings.filter((clearing) => clearing.kind === kind).reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const [capturedCents, refundedCents] = [sumOf("capture"), sumOf("refund")];
  if (!authorization) {
    const status = capturedCents > 0n ? "CLEARED" : "CREDITED";
    const authorizedCents = capturedCents > 0n ? capturedCents : refundedCents;
    const targetCents = capturedCents - refundedCents;
    const excessCents = capturedCents;
    return { status, authorizedCents, reversedCents: 0n, capturedCents, refundedCents, excessCents, targetCents };
  }
  const { isApproved, status, amountCents, requestedCents } = authorization;
  const authorizedCents = max(known?.authorizedCents ?? 0n, requestedCents, amountCents);
  const isGivenUp = status === "reversed" || status === "expired";
  // A zero amount on a closed authorization means that nothing is held, not that it was reversed.
  const isReported = status === "pending" || amountCents > 0n;
  const reversed = isGivenUp ? authorizedCents - capturedCents : isReported ? authorizedCents - amountCents : 0n;
  const reversedCents = isApproved ? max(known?.reversedCents ?? 0n, reversed) : 0n;
  // An authorization that is closed before its capture is reported is about to be captured.
  const isHeld = isApproved && (status === "pending" || (status === "closed" && capturedCents === 0n));
  const heldCents = isHeld ? max(authorizedCents - reversedCents - capturedCents) : 0n;
  const excessCents = max(0n, capturedCents - (isApproved ? authorizedCents - reversedCents : 0n));
  const amounts = { authorizedCents, reversedCents, capturedCents, refundedCents, excessCents };
  const targetCents = capturedCents - refundedCents + heldCents;
  return { status: statusOf(authorization, capturedCents), ...amounts, targetCents };
}

function statusOf(
  { isApproved, status }: NonNullable<ThreadReport["authorization"]>,
  capturedCents: bigint,
): PaymentStatus {
  if (capturedCents > 0n && !(isApproved && status === "pending")) return "CLEARED";
  if (!isApproved) return "DECLINED";
  if (status === "reversed") return "REVERSED";
  return status === "expired" ? "EXPIRED" : "AUTHORIZED";
}
