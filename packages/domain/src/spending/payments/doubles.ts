/** Possible double charges: uses of one card at one merchant for the same amount within minutes. An operator judges them. */
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { listPaymentsBetween } from "@cardkeep/db/queries/spending/listAllPayments";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { findAnyPayment } from "@cardkeep/db/queries/spending/paymentParts";
import { type CardTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { Executor } from "@cardkeep/db/client";
import { formatInstant } from "../../core/wording.ts";
import { hasComeBack, isReturnedByHand } from "./debtAmounts.ts";
import { formatCents } from "./formatMoney.ts";

const withinMs = 10 * 60_000;

/** Payments that took money, or are about to. */
const charged: readonly PaymentStatus[] = ["AUTHORIZED", "CLEARED"];

export type CardUse = Pick<
  CardPayment,
  "id" | "cardId" | "merchantName" | "authorizedCents" | "billingCurrency" | "status" | "createdAt"
>;

/** Whether two payments look like one purchase that was charged twice. */
const isDouble = (one: CardUse, other: CardUse): boolean =>
  one.id !== other.id &&
  charged.includes(one.status) &&
  charged.includes(other.status) &&
  one.cardId === other.cardId &&
  one.merchantName !== null &&
  one.merchantName.toLowerCase() === other.merchantName?.toLowerCase() &&
  one.authorizedCents > 0n &&
  one.authorizedCents === other.authorizedCents &&
  one.billingCurrency === other.billingCurrency &&
  Math.abs(one.createdAt.getTime() - other.createdAt.getTime()) <= withinMs;

/** The ids of those that have a double in the list. */
export const findDoubles = (payments: readonly CardUse[]): ReadonlySet<string> =>
  new Set(payments.filter((one) => payments.some((other) => isDouble(one, other))).map(({ id }) => id));

/** Payments of one user whose money has not come back. */
async function listKept<P extends Pick<CardPayment, "id" | "userId" | "setOff">>(
  on: Executor,
  payments: readonly P[],
): Promise<P[]> {
  const [first] = payments;
  if (first === undefined) return [];
  const ids = payments.map(({ id }) => id);
  const transfers = await listTransfers(on, first.userId, ids);
  return payments.filter(
    (payment) =>
      !hasComeBack(
        payment,
        transfers.filter(({ paymentId }) => paymentId === payment.id),
      ),
  );
}

/** The ids of a user's payments that have a double in the list, while neither's money has come back. */
export async function findKeptDoubles(
  { db }: { readonly db: Executor },
  payments: readonly CardPayment[],
): Promise<ReadonlySet<string>> {
  const doubles = findDoubles(payments);
  return findDoubles(
    await listKept(
      db,
      payments.filter(({ id }) => doubles.has(id)),
    ),
  );
}

/** A payment that looks like the same purchase, and whose money came back or is on its way. */
export interface ReturnedDouble {
  readonly payment: CardPayment;
  readonly at: Date;
}

export interface Doubles {
  /** While neither's money has come back. */
  readonly kept: CardPayment[];
  /** One of two charges is returned; the other one is due. */
  readonly returned: ReturnedDouble[];
}

/** The possible doubles of one payment; none of either kind once its own money has come back. */
export async function readDoubles({ db }: { readonly db: Executor }, payment: CardPayment): Promise<Doubles> {
  const at = payment.createdAt.getTime();
  const span = { from: new Date(at - withinMs), to: new Date(at + withinMs) };
  const found = (await listPaymentsBetween(db, payment.userId, span)).filter((other) => isDouble(payment, other));
  if (found.length === 0) return { kept: [], returned: [] };
  const ids = [payment, ...found].map(({ id }) => id);
  const transfers = await listTransfers(db, payment.userId, ids);
  const returnOf = (one: CardPayment) =>
    findReturn(
      one,
      transfers.filter(({ paymentId }) => paymentId === one.id),
    );
  if (returnOf(payment) !== null) return { kept: [], returned: [] };
  return {
    kept: found.filter((other) => returnOf(other) === null),
    returned: found.flatMap((other) => {
      const last = returnOf(other);
      return last === null ? [] : [{ payment: other, at: last.updatedAt }];
    }),
  };
}

/** The last transfer that brought all of a payment back, or will. */
function findReturn(payment: CardPayment, transfers: readonly CardTransfer[]): CardTransfer | null {
  if (!hasComeBack(payment, transfers) && !isReturnedByHand(payment, transfers)) return null;
  return transfers.findLast(({ direction, status }) => direction === "return" && status !== "FAILED") ?? null;
}

const describeReturned = ({ payment: { authorizedCents, billingCurrency, createdAt }, at }: ReturnedDouble): string =>
  `Its double of ${formatCents(authorizedCents, billingCurrency)} of ${formatInstant(createdAt)} was returned on ${formatInstant(at)}`;

/** What is to be known before money of a payment is returned; empty where there is nothing. */
export const warnOfReturned = (returned: readonly ReturnedDouble[]): string =>
  returned.length === 0
    ? ""
    : `${returned.map(describeReturned).join(". ")}. A second return pays the person twice, unless this payment is wrong too.`;

/** The same of a payment that may be gone, by its id. */
export async function readDoubleWarning({ db }: { readonly db: Executor }, paymentId: string): Promise<string> {
  const payment = await findAnyPayment(db, paymentId);
  return payment === null ? "" : warnOfReturned((await readDoubles({ db }, payment)).returned);
}
