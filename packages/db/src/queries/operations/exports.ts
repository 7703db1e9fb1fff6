/**
 * Pages of exports: rows of whole tables in the order of their keys. A page behind a key costs the same at any size.
 *
 * Ids of payments and orders begin with their time, so a time leads to the key that a page begins behind.
 */
import { and, asc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Executor } from "../../client.ts";
import {
  bookLines,
  bookPostings,
  cardClearings,
  cardDebts,
  cardPayments,
  ibanOrders,
  ledgerEntries,
  orderReturns,
  orders,
  safes,
} from "../../schema/tables.ts";

export interface ExportPage {
  /** The key of the last row that is known; null for none. */
  readonly after: readonly string[] | null;
  /** What the first part of a key is below; null for no bound. */
  readonly below: string | null;
  readonly limit: number;
}

/** Condition: a key of these columns is within the page. */
function isWithin(columns: readonly [PgColumn, ...PgColumn[]], { after, below }: ExportPage): SQL | undefined {
  const key = sql.join([...columns], sql`, `);
  const known =
    after &&
    sql.join(
      after.map((part) => sql`${part}`),
      sql`, `,
    );
  return and(
    known === null ? undefined : sql`(${key}) > (${known})`,
    below === null ? undefined : lt(columns[0], below),
  );
}

export const pagePayments = (on: Executor, page: ExportPage) =>
  on
    .select()
    .from(cardPayments)
    .where(isWithin([cardPayments.id], page))
    .orderBy(asc(cardPayments.id))
    .limit(page.limit);

/** Clearings with the network ids, currencies and merchants of their payments. */
export async function pageClearings(on: Executor, page: ExportPage) {
  const { paymentId, id } = cardClearings;
  const rows = await on
    .select()
    .from(cardClearings)
    .where(isWithin([paymentId, id], page))
    .orderBy(asc(paymentId), asc(id))
    .limit(page.limit);
  const paymentIds = [...new Set(rows.map((row) => row.paymentId))];
  const payments =
    paymentIds.length === 0 ? [] : await on.select().from(cardPayments).where(inArray(cardPayments.id, paymentIds));
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  return rows.map((clearing) => ({ clearing, payment: byId.get(clearing.paymentId) ?? null }));
}

export const pageDebts = (on: Executor, page: ExportPage) =>
  on
    .select({ debt: cardDebts, tokenSymbol: safes.tokenSymbol })
    .from(cardDebts)
    .innerJoin(safes, eq(safes.id, cardDebts.safeId))
    .where(isWithin([cardDebts.paymentId], page))
    .orderBy(asc(cardDebts.paymentId))
    .limit(page.limit);

export const pageIbanOrders = (on: Executor, page: ExportPage) =>
  on
    .select()
    .from(ibanOrders)
    .where(isWithin([ibanOrders.id, ibanOrders.institution], page))
    .orderBy(asc(ibanOrders.id), asc(ibanOrders.institution))
    .limit(page.limit);

/** Orders, each with what was returned of its payment in base units. */
export async function pageOrders(on: Executor, page: ExportPage) {
  const rows = await on
    .select()
    .from(orders)
    .where(isWithin([orders.id], page))
    .orderBy(asc(orders.id))
    .limit(page.limit);
  const ids = rows.map(({ id }) => id);
  const returns =
    ids.length === 0 ? [] : await on.select().from(orderReturns).where(inArray(orderReturns.orderId, ids));
  const returned = Map.groupBy(returns, ({ orderId }) => orderId);
  const sumOf = (id: string): bigint =>
    (returned.get(id) ?? []).reduce((sum, { amount, paidAt }) => (paidAt === null ? sum : sum + amount), 0n);
  return rows.map((order) => ({ order, returned: sumOf(order.id) }));
}

/** Ledger entries with the token of their Safe. */
export const pageLedger = (on: Executor, page: ExportPage) =>
  on
    .select({ entry: ledgerEntries, tokenSymbol: safes.tokenSymbol })
    .from(ledgerEntries)
    .innerJoin(safes, eq(safes.id, ledgerEntries.safeId))
    .where(isWithin([ledgerEntries.paymentId, ledgerEntries.id], page))
    .orderBy(asc(ledgerEntries.paymentId), asc(ledgerEntries.id))
    .limit(page.limit);

/** Postings of the firm's books with their lines, in the order of booking. */
export async function pageJournal(on: Executor, { after, limit }: ExportPage) {
  const { id } = bookPostings;
  const last = after?.[0];
  const postings = await on
    .select()
    .from(bookPostings)
    .where(last === undefined ? undefined : sql`${id} > ${last}::bigint`)
    .orderBy(asc(id))
    .limit(limit);
  const ids = postings.map((posting) => posting.id);
  const lines =
    ids.length === 0
      ? []
      : await on
          .select()
          .from(bookLines)
          .where(inArray(bookLines.postingId, ids))
          .orderBy(asc(bookLines.postingId), asc(bookLines.ordinal));
  const linesOf = Map.groupBy(lines, ({ postingId }) => postingId);
  return postings.map((posting) => ({ posting, lines: linesOf.get(posting.id) ?? [] }));
}
