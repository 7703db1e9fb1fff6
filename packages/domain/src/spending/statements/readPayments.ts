/** The payments that a page of a statement names, with their clearings, spends and reference rates. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { Token } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { type CardClearing, listPayments } from "@cardkeep/db/queries/spending/payments";
import { listReferenceRates } from "@cardkeep/db/queries/spending/referenceRates";
import { listClearingsOfPayments, listSpends } from "@cardkeep/db/queries/spending/statements";
import { dayOf } from "../../core/calendar.ts";
import { type PaymentOfCard, referenceDaysMax } from "./cardFacts.ts";

export interface Range {
  readonly from: Date;
  readonly to: Date;
}

export interface StatementSubject {
  readonly userId: string;
  readonly token: Token;
  readonly zone: string;
}

/** Rows that are read at once: what a statement takes of memory besides its lines. */
export const pageRowsDefault = 1_000;

/** Payments with their clearings, spends and the reference rates of their currencies. */
export async function readPayments(
  on: Executor,
  { userId }: StatementSubject,
  paymentIds: readonly string[],
  { from, to }: Range,
) {
  const [payments, clearings, spends] = await Promise.all([
    listPayments(on, userId, paymentIds),
    listClearingsOfPayments(on, userId, paymentIds),
    listSpends(on, userId, paymentIds),
  ]);
  const currencies = [...new Set(payments.flatMap((each) => [each.merchantCurrency, each.billingCurrency]))];
  const days = payments.map(({ createdAt }) => createdAt.getTime());
  const first = new Date(Math.min(from.getTime(), ...days) - (referenceDaysMax + 1) * dayMs);
  const rates = await listReferenceRates(on, {
    currencies,
    from: first.toISOString().slice(0, 10),
    to: new Date(to.getTime() + dayMs).toISOString().slice(0, 10),
  });
  return {
    byId: new Map<string, PaymentOfCard>(payments.map((payment) => [payment.id, payment])),
    clearingsOf: Map.groupBy(clearings, ({ paymentId }) => paymentId),
    hashOf: (paymentId: string) =>
      spends.find((spend) => spend.paymentId === paymentId && spend.direction === "spend")?.hash ?? null,
    rates,
    clearings,
  };
}

export type Payments = Awaited<ReturnType<typeof readPayments>>;

/** The day that a rate is compared with: the network's, else the issuer's, else that of the authorization. */
export const rateDayOf = (payment: PaymentOfCard, clearing: CardClearing | undefined, zone: string): string =>
  clearing?.processedOn ?? dayOf(clearing?.postedAt ?? payment.createdAt, zone);
