/** Possible double charges: uses of one card at one merchant for the same amount within minutes. An operator judges them. */
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { listPaymentsBetween } from "@cardkeep/db/queries/spending/listAllPayments";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { Executor } from "@cardkeep/db/client";
import { hasComeBack } from "./debtAmounts.ts";

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

/** The possible doubles of one payment, while neither's money has come back. */
export async function listDoubles({ db }: { readonly db: Executor }, payment: CardPayment): Promise<CardPayment[]> {
  const at = payment.createdAt.getTime();
  const span = { from: new Date(at - withinMs), to: new Date(at + withinMs) };
  const found = (await listPaymentsBetween(db, payment.userId, span)).filter((other) => isDouble(payment, other));
  if (found.length === 0) return [];
  const kept = await listKept(db, [payment, ...found]);
  return kept[0]?.id === payment.id ? kept.slice(1) : [];
}
