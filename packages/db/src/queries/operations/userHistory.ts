/** What happened to a user, source by source, newest first. An index leads to each page of each source. */
import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Executor } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import type { SubjectKind } from "../../schema/operators/operators.ts";
import { listedKinds } from "../../schema/spending/payments.ts";
import {
  cardClearings,
  cardPayments,
  cards,
  cardTransfers,
  delayTransactions,
  deliveries,
  events,
  ibanOrders,
  kycCallbacks,
  operatorActions,
  orders,
  safes,
} from "../../schema/tables.ts";
import type { DelayTransaction } from "../accounts/delays/delays.ts";
import type { Delivery } from "../partners/deliveries/log.ts";

/** The place of an entry in the history of all sources. `key` decides between entries of one instant. */
export interface HistoryPosition {
  readonly at: Date;
  readonly key: string;
}

/** A page of one source: entries before a position, whose keys begin with `kind`. */
export interface HistoryPage {
  readonly kind: string;
  readonly before: HistoryPosition | null;
  readonly limit: number;
}

/** The key of an entry. */
export const nameEntry = (kind: string, id: string): string => `${kind}:${id}`;

function isBefore({ kind, before }: HistoryPage, at: AnyPgColumn, id: AnyPgColumn | SQL): SQL | undefined {
  if (before === null) return undefined;
  const instant = sql`${before.at.toISOString()}::timestamptz`;
  // The first condition is for the index.
  return sql`${at} <= ${instant} and (${at} < ${instant} or (${kind} || ':' || ${id}) collate "C" < ${before.key})`;
}

const byName = (id: AnyPgColumn | SQL) => sql`${id} collate "C" desc`;

export const listKycHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, receivedAt: at, body } = kycCallbacks;
  return on
    .select({ id, at, type: sql<string | null>`${body} ->> 'type'` })
    .from(kycCallbacks)
    .where(and(eq(kycCallbacks.userId, userId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

export const listCardHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, createdAt: at, lastFourDigits, virtual } = cards;
  return on
    .select({ id, at, lastFourDigits, virtual })
    .from(cards)
    .where(and(eq(cards.userId, userId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

export const listOrderHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, createdAt: at, status, virtual } = orders;
  return on
    .select({ id, at, status, virtual })
    .from(orders)
    .where(and(eq(orders.userId, userId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

export const listPaymentHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, createdAt: at, status, declineReason, authorizedCents, billingCurrency, merchantName } = cardPayments;
  return on
    .select({ id, at, status, declineReason, authorizedCents, billingCurrency, merchantName })
    .from(cardPayments)
    .where(and(eq(cardPayments.userId, userId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

/** Refunds, reversals, and what was taken back of captures and refunds. */
export const listCreditHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, createdAt: at, paymentId, kind, amountCents } = cardClearings;
  const { billingCurrency, merchantName } = cardPayments;
  return on
    .select({ id, at, paymentId, kind, amountCents, billingCurrency, merchantName })
    .from(cardClearings)
    .innerJoin(cardPayments, and(eq(cardPayments.id, paymentId), eq(cardPayments.userId, cardClearings.userId)))
    .where(and(eq(cardClearings.userId, userId), isOneOf(kind, listedKinds), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

/** What operators returned of payments by hand. */
export const listHandReturnHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, createdAt: at, paymentId, amount, status } = cardTransfers;
  const { merchantName } = cardPayments;
  return on
    .select({ id, at, paymentId, amount, status, merchantName, tokenSymbol: safes.tokenSymbol })
    .from(cardTransfers)
    .innerJoin(cardPayments, and(eq(cardPayments.id, paymentId), eq(cardPayments.userId, cardTransfers.userId)))
    .innerJoin(safes, eq(safes.id, cardTransfers.safeId))
    .where(and(eq(cardTransfers.userId, userId), sql`${cardTransfers.isByHand}`, isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

/** Operations of one Safe. */
export const listOperationHistory = (on: Executor, safeId: string, page: HistoryPage): Promise<DelayTransaction[]> => {
  const { id, createdAt: at } = delayTransactions;
  return on
    .select()
    .from(delayTransactions)
    .where(and(eq(delayTransactions.safeId, safeId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

/** Money that came in or went out by the IBAN. */
export const listIbanHistory = (on: Executor, userId: string, page: HistoryPage) => {
  const { id, placedAt: at, kind, amount, currency, state } = ibanOrders;
  return on
    .select({ id, at, kind, amount, currency, state })
    .from(ibanOrders)
    .where(and(eq(ibanOrders.userId, userId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

/** Published events, each with its deliveries. They are kept for some weeks, so a user has no more than an index leads to. */
export async function listEventHistory(on: Executor, userId: string, page: HistoryPage) {
  const { id, createdAt: at, eventType } = events;
  const rows = await on
    .select({ id, at, eventType })
    .from(events)
    .where(and(eq(events.userId, userId), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
  const sent =
    rows.length === 0
      ? []
      : await listDeliveriesOf(
          on,
          rows.map((row) => row.id),
        );
  return rows.map((row) => ({ ...row, deliveries: sent.filter(({ eventId }) => eventId === row.id) }));
}

const listDeliveriesOf = (
  on: Executor,
  eventIds: readonly string[],
): Promise<Pick<Delivery, "id" | "eventId" | "partnerId" | "status">[]> => {
  const { id, eventId, partnerId, status } = deliveries;
  return on
    .select({ id, eventId, partnerId, status })
    .from(deliveries)
    .where(inArray(eventId, [...eventIds]));
};

/** What operators did to one of some rows. */
export const listActionHistory = (
  on: Executor,
  { kind, ids }: { kind: SubjectKind; ids: readonly string[] },
  page: HistoryPage,
) => {
  const { sequence, at, operatorName, verb, reason, subjectKind, subjectId } = operatorActions;
  const id = sql<string>`${sequence}::text`;
  return on
    .select({ id, at, operatorName, verb, reason })
    .from(operatorActions)
    .where(and(eq(subjectKind, kind), inArray(subjectId, [...ids]), isBefore(page, at, id)))
    .orderBy(desc(at), byName(id))
    .limit(page.limit);
};

/** Events that a chart of balances reads at most. */
const chartEventsMax = 5_000;

/** The balances that were published to partners since an instant, oldest first, among the user's newest `chartEventsMax` events. */
export async function listPublishedBalances(
  on: Executor,
  { userId, since }: { userId: string; since: Date },
): Promise<{ at: Date; total: string }[]> {
  const { createdAt: at, sequence, eventType, data } = events;
  const newest = on
    .select({ at, sequence, eventType, data })
    .from(events)
    .where(and(eq(events.userId, userId), sql`${at} >= ${since.toISOString()}::timestamptz`))
    .orderBy(desc(at))
    .limit(chartEventsMax)
    .as("newest");
  return on
    .select({ at: newest.at, total: sql<string>`${newest.data} ->> 'total'` })
    .from(newest)
    .where(eq(newest.eventType, "account.balance.changed"))
    .orderBy(newest.at, newest.sequence);
}
