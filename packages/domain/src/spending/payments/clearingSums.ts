/** What a thread's clearings come to, by their kinds. All pure. */
import type { Clearing, ClearingKind, ThreadReport } from "@cardkeep/providers/issuer/spending";

/** Whether the issuer takes money by a clearing of a kind, 1, or gives it back, -1; `reversal` releases what it held. */
export const clearingSigns = {
  capture: 1n,
  refund: -1n,
  reversal: -1n,
  capture_reversal: -1n,
  refund_reversal: 1n,
} as const satisfies Readonly<Record<ClearingKind | "reversal", bigint>>;

type Amounts = Pick<Clearing, "kind" | "amountCents">;

/** What clearings of one kind come to. */
export const sumKind = (clearings: readonly Amounts[], kind: ClearingKind): bigint =>
  clearings.reduce((sum, clearing) => (clearing.kind === kind ? sum + clearing.amountCents : sum), 0n);

/** What the merchant has captured, and refunded, without what was taken back of each. */
export const sumClearings = (clearings: readonly Amounts[]): { capturedCents: bigint; refundedCents: bigint } => ({
  capturedCents: sumKind(clearings, "capture") - sumKind(clearings, "capture_reversal"),
  refundedCents: sumKind(clearings, "refund") - sumKind(clearings, "refund_reversal"),
});

/** Cents that the issuer takes for a thread by its own signs; below zero where it returns more. */
export function sumSigned({ clearings, faults }: Pick<ThreadReport, "clearings" | "faults">): bigint {
  const { capturedCents, refundedCents } = sumClearings(clearings);
  return capturedCents - refundedCents - faults.reduce((sum, { signedCents }) => sum + signedCents, 0n);
}

/** Why a report cannot be booked, by itself: an unknown type, or signs that contradict each other or their types. */
export function findClearingFault({ clearings, faults }: Pick<ThreadReport, "clearings" | "faults">) {
  const { capturedCents, refundedCents } = sumClearings(clearings);
  // More was taken back than there was.
  return faults[0]?.fault ?? (capturedCents < 0n || refundedCents < 0n ? "sign" : null);
}

/**
 * New captures of a thread that repeat another one: same amount and reference of the network, beyond what was approved. Parts
 * of an approved amount may be equal.
 *
 * @param known ids of its clearings that are booked
 */
export function findRepeatedCapture(
  { clearings, authorization }: Pick<ThreadReport, "clearings" | "authorization">,
  known: Pick<ReadonlySet<string>, "has">,
): Clearing | null {
  const approvedCents = authorization?.isApproved ? authorization.amountCents : 0n;
  if (sumClearings(clearings).capturedCents <= approvedCents) return null;
  const captures = clearings.filter(({ kind }) => kind === "capture");
  return captures.find((one) => !known.has(one.id) && captures.some((other) => isRepeated(one, other))) ?? null;
}

const isRepeated = (one: Clearing, other: Clearing): boolean =>
  one.id !== other.id &&
  one.networkReference !== null &&
  one.networkReference === other.networkReference &&
  one.amountCents === other.amountCents;
