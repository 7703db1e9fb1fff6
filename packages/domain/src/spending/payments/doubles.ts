/** Possible double charges: uses of one card at one merchant for the same amount within minutes. An operator judges them. */
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { listPaymentsBetween } from "@cardkeep/db/queries/spending/listAllPayments";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { Services } from "../../core/services.ts";

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

/** The possible doubles of one payment. */
export async function listDoubles({ db }: Pick<Services, "db">, payment: CardPayment): Promise<CardPayment[]> {
  const at = payment.createdAt.getTime();
  const span = { from: new Date(at - withinMs), to: new Date(at + withinMs) };
  return (await listPaymentsBetween(db, payment.userId, span)).filter((other) => isDouble(payment, other));
}
