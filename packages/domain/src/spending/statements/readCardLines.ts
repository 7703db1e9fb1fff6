/** The card items of a range: captures, refunds and reversals by the issuer's dates. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { CardItem } from "@cardkeep/contract/spending/statements";
import type { Executor } from "@cardkeep/db/client";
import type { CardClearing } from "@cardkeep/db/queries/spending/payments";
import { listRecordedClearings } from "@cardkeep/db/queries/spending/statements";
import { closeOfMonth, findStatedAt, monthOf } from "../../core/calendar.ts";
import { clearingSigns } from "../payments/clearingSums.ts";
import { buildCardFacts, formatAmount } from "./cardFacts.ts";
import {
  type Payments,
  type Range,
  rateDayOf,
  readPayments,
  pageRowsDefault,
  type StatementSubject,
} from "./readPayments.ts";

/** The issuer's clock may be ahead of ours by this much. */
const skewMs = dayMs;
const itemKinds = {
  capture: "payment",
  refund: "refund",
  reversal: "payment_reversal",
  capture_reversal: "payment_reversal",
  refund_reversal: "refund_reversal",
} as const;

function buildItem(clearing: CardClearing, statedAt: Date, payments: Payments, zone: string): CardItem[] {
  const payment = payments.byId.get(clearing.paymentId);
  if (!payment) return [];
  const { amountCents: cents, merchantMinor: minor } = clearing;
  const item = {
    id: clearing.id,
    kind: itemKinds[clearing.kind],
    at: clearing.postedAt.toISOString(),
    statedAt: statedAt.toISOString(),
    amount: formatAmount(-clearingSigns[clearing.kind] * cents, 2),
    ...buildCardFacts(payment, [clearing], {
      cents,
      minor,
      day: rateDayOf(payment, clearing, zone),
      rates: payments.rates,
    }),
    original: clearing.kind === "capture" ? null : { threadId: payment.threadId, hash: payments.hashOf(payment.id) },
  };
  return [item];
}

/** When the clearings that count in a range of a month were recorded. What is recorded after the month's close counts later. */
export const recordedFor = ({ from, to }: Range, zone: string): Range => ({
  from: new Date(from.getTime() - skewMs),
  to: closeOfMonth(monthOf(new Date(to.getTime() - 1), zone), zone),
});

/** The card items of a range, oldest first. */
export async function readCardLines(
  on: Executor,
  subject: StatementSubject,
  range: Range,
  pageRows = pageRowsDefault,
): Promise<CardItem[]> {
  const { userId, zone } = subject;
  const recorded = { ...recordedFor(range, zone), stated: range, limit: pageRows };
  const items: CardItem[] = [];
  for (let after: CardClearing | null = null; ;) {
    const page: CardClearing[] = await listRecordedClearings(on, userId, { ...recorded, after });
    const stated = page
      .map((clearing) => ({ clearing, statedAt: findStatedAt(clearing.postedAt, clearing.createdAt, zone) }))
      .filter(({ statedAt }) => statedAt >= range.from && statedAt < range.to);
    const ids = [...new Set(stated.map(({ clearing }) => clearing.paymentId))];
    const payments = await readPayments(on, subject, ids, range);
    for (const { clearing, statedAt } of stated) items.push(...buildItem(clearing, statedAt, payments, zone));
    after = page.at(-1) ?? null;
    if (page.length < pageRows) break;
  }
  // Instants of one form: their texts are in the order of time.
  return items.toSorted((a, b) =>
    a.statedAt === b.statedAt ? (a.id < b.id ? -1 : 1) : a.statedAt < b.statedAt ? -1 : 1,
  );
}
