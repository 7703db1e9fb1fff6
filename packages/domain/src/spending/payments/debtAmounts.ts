/** What a payment's transfers come to, and what follows from it. All pure. */
import { dayMs, minuteMs } from "@cardkeep/contract/core/durations";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { atLeastZero, least } from "../../core/money.ts";

type Movement = Pick<CardTransfer, "direction" | "amount" | "status">;
type ByHand = Movement & Pick<CardTransfer, "isByHand">;

const sumSigned = (transfers: readonly Movement[]): bigint =>
  transfers.reduce((sum, { direction, amount }) => (direction === "spend" ? sum + amount : sum - amount), 0n);

/** Base units that an operator returned by hand, or that are about to be. */
const sumByHand = (transfers: readonly ByHand[]): bigint =>
  -sumSigned(transfers.filter(({ status, isByHand }) => isByHand && status !== "FAILED"));

/** Base units that operators returned by hand, proved by the token's own transfers. */
export const sumReturnedByHand = (transfers: readonly ByHand[]): bigint =>
  -sumProved(transfers.filter(({ isByHand }) => isByHand));

/** Base units that go back by hand at the moment. */
export const sumReturningByHand = (transfers: readonly ByHand[]): bigint =>
  sumByHand(transfers) - sumReturnedByHand(transfers);

/** Base units that went back to the Safe by themselves, or are about to. */
export const sumReturned = (transfers: readonly ByHand[]): bigint =>
  -sumTransfers(transfers.filter(({ direction, isByHand }) => direction === "return" && !isByHand));

/** Whether all that a payment took out of the Safe is back in it, or was set off against the user's debts. */
export const hasComeBack = ({ setOff }: Pick<CardPayment, "setOff">, transfers: readonly Movement[]): boolean =>
  transfers.some(({ direction, status }) => direction === "spend" && status === "DONE") &&
  sumProved(transfers) + setOff <= 0n;

/** Whether nothing of a payment is left to return, because operators returned the rest of it by hand, or are about to. */
export const isReturnedByHand = (payment: Aims, transfers: readonly ByHand[]): boolean =>
  sumByHand(transfers) > 0n && chainTargetOf(payment, transfers) <= 0n;

type Aims = Pick<CardPayment, "target" | "setOff" | "credit" | "writtenOff">;

/** Base units that would have to leave the Safe if nothing was written off. */
const owedOf = ({ target, setOff, credit }: Omit<Aims, "writtenOff">, transfers: readonly ByHand[]): bigint =>
  target - setOff - least(sumByHand(transfers) + credit, atLeastZero(target));

/**
 * Base units of a payment that the operator bears now: what was written off, as far as it is still missing. So a later refund
 * reduces this loss first, and pays the person only what the person has paid.
 */
export const computeWrittenOff = (payment: Aims, transfers: readonly ByHand[]): bigint =>
  least(payment.writtenOff, atLeastZero(owedOf(payment, transfers) - sumTransfers(transfers)));

/**
 * Base units that a payment's transfers have to come to: its target without what was set off, without what an operator
 * returned by hand or wrote off, and without the credit of a dispute.
 *
 * A refund by hand and a credit count up to what is still owed to the issuer. So they are paid beside the issuer's refunds, and
 * all together never come to more than the payment moved.
 */
export const chainTargetOf = (payment: Aims, transfers: readonly ByHand[]): bigint =>
  owedOf(payment, transfers) - computeWrittenOff(payment, transfers);

/** What disputes have returned of what a payment moved, or are about to. */
export const creditedOf = ({ credit, target }: Pick<CardPayment, "credit" | "target">): bigint =>
  atLeastZero(least(credit, target));

/**
 * Base units that an operator may return by hand: what has left the Safe, is proved, and was not returned or set off. Null
 * while a transfer of the payment is open, because its outcome decides.
 */
export function computeRefundMax(
  { target, credit }: Pick<CardPayment, "target" | "credit">,
  transfers: readonly ByHand[],
): bigint | null {
  if (transfers.some(({ status }) => status === "PLANNED" || status === "SIGNED")) return null;
  return atLeastZero(least(sumProved(transfers), target - credit - sumByHand(transfers)));
}

/** Base units that are out of the Safe, or are planned or on their way to be. */
export const sumTransfers = (transfers: readonly Movement[]): bigint =>
  sumSigned(transfers.filter(({ status }) => status !== "FAILED"));

/** Base units that are out of the Safe, proved by the token's own transfers; below zero for a refund alone. */
export const sumProved = (transfers: readonly Movement[]): bigint =>
  sumSigned(transfers.filter(({ status }) => status === "DONE"));

/** Whether a spend of the payment failed: from then on its money is collected, never planned blindly. */
export const hasFailedSpend = (transfers: readonly Movement[]): boolean =>
  transfers.some(({ direction, status }) => direction === "spend" && status === "FAILED");

/** Base units of a payment that are a debt: after a failure, what of its target is not proved. */
export function computeOwed(target: bigint, transfers: readonly Movement[]): bigint {
  const missing = target - sumProved(transfers);
  return missing > 0n && hasFailedSpend(transfers) ? missing : 0n;
}

/** Base units that may be written off: what a payment owes, without what a collection under way brings. */
export const computeWriteOffMax = (target: bigint, transfers: readonly Movement[]): bigint =>
  atLeastZero(least(computeOwed(target, transfers), target - sumTransfers(transfers)));

/**
 * What has to move so that a payment's transfers come to its target; null when nothing has to, or when what is missing is
 * a debt.
 *
 * A return is carried out only after everything before it in its thread, and ends with a spend that fails. So it never
 * pays out what was not proved.
 */
export function computeMove(
  target: bigint,
  transfers: readonly Movement[],
): { direction: "spend" | "return"; amount: bigint } | null {
  const missing = target - sumTransfers(transfers);
  if (missing < 0n) return { direction: "return", amount: -missing };
  return missing === 0n || hasFailedSpend(transfers) ? null : { direction: "spend", amount: missing };
}

/**
 * Base units to collect for a payment in debt out of what its Safe can spend; null when it is not worth its gas yet.
 *
 * @param available what balance and allowance leave, in base units
 * @param partMin least part that is collected of a greater debt
 */
export function computeCollection(
  target: bigint,
  transfers: readonly Movement[],
  { available, partMin }: { available: bigint; partMin: bigint },
): bigint | null {
  const missing = target - sumTransfers(transfers);
  if (missing <= 0n || computeOwed(target, transfers) === 0n) return null;
  const amount = missing < available ? missing : available;
  return amount >= (missing < partMin ? missing : partMin) ? amount : null;
}

/** How long a Safe is left alone after so many failed collections in a row: a minute, then four times as long, up to a day. */
export const backOffMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(dayMs, minuteMs * 4 ** Math.min(failures - 1, 8));
