import type { CardEvent } from "@cardkeep/contract/spending/cardEvents";
import type { Executor } from "@cardkeep/db/client";
import {
  countHistory,
  type HistoryFilter,
  type HistoryLine,
  listClearingsOf,
  listHistory,
} from "@cardkeep/db/queries/spending/history";
import { listPayments } from "@cardkeep/db/queries/spending/payments";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { Context, UserContext } from "../../core/context.ts";
import { readCurrencyCode } from "./isoCodes.ts";
import { buildCardEvent } from "./buildCardEvent.ts";

export interface Filters {
  cardTokens?: string | undefined;
  updatedSince?: Date | undefined;
  before?: Date | undefined;
  after?: Date | undefined;
  billingCurrency?: string | undefined;
  transactionCurrency?: string | undefined;
  mcc?: string | undefined;
  transactionType?: string | undefined;
}

const limitDefault = 100;
const limitMax = 500;

/** One page of the history of the user's activated cards, newest first, with links to its neighbours. */
export async function listTransactions(
  ctx: UserContext,
  {
    limit: wanted = limitDefault,
    offset = 0,
    ...filters
  }: Filters & { limit?: number | undefined; offset?: number | undefined },
): Promise<{ count: number; next: string | null; previous: string | null; results: CardEvent[] }> {
  const limit = Math.min(wanted, limitMax);
  const filter = await filterOf(ctx, filters);
  const { count, hasNext, results } = await ctx.lists.read(async (on) => {
    const counted = await countHistory(on, filter);
    // One line more than the page: the count ends before a long history does.
    const lines = await listHistory(on, filter, { limit: limit + 1, offset });
    const shown = lines.slice(0, limit);
    const hasNext = lines.length > shown.length;
    return { count: counted, hasNext, results: await readLines(ctx, on, shown) };
  });
  // With the bound that was used: a caller's "now" is past once the next page is asked for.
  const bounded = filter.before === null ? filters : { ...filters, before: filter.before };
  const link = (to: number) => `/api/v1/cards/transactions?${queryOf(bounded, limit, to)}`;
  return {
    count,
    next: hasNext ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
    results,
  };
}

/** How long a request may be on its way. */
const travelMsMax = 10_000;

/**
 * The upper bound of a list; null for none.
 *
 * Rows follow the service's clock. Where that was moved ahead of the caller's, "before now" means before the service's now.
 */
async function readBefore({ db, clock }: Context, before: Date | undefined): Promise<Date | null> {
  if (before === undefined) return null;
  const wallMs = Date.now();
  const now = await clock.now(db);
  const aheadMs = now.getTime() - wallMs;
  const isNow = Math.abs(before.getTime() - wallMs) <= travelMsMax;
  return aheadMs > travelMsMax && isNow ? now : before;
}

/** A user's history by filters; characters that no text of the database holds match nothing. */
async function filterOf(ctx: UserContext, filters: Filters): Promise<HistoryFilter> {
  const { actor } = ctx;
  const { cardTokens, updatedSince, before, after, billingCurrency, transactionCurrency, mcc, transactionType } =
    filters;
  const currency = (text: string | undefined) => (text ? readCurrencyCode(text) : null);
  return {
    userId: actor.userId,
    cardTokens: cardTokens ? cardTokens.split(",").map((token) => token.trim()) : null,
    updatedSince: updatedSince ?? null,
    before: await readBefore(ctx, before),
    after: after ?? null,
    billingCurrency: currency(billingCurrency),
    transactionCurrency: currency(transactionCurrency),
    mcc: mcc || null,
    transactionType: transactionType || null,
  };
}

function queryOf(filters: Filters, limit: number, offset: number): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  for (const [name, value] of Object.entries(filters)) {
    if (value) query.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return query;
}

/** The events of a history's lines, in their order. */
async function readLines(
  { actor: { userId }, policy }: UserContext,
  on: Executor,
  lines: readonly HistoryLine[],
): Promise<CardEvent[]> {
  const paymentIds = [...new Set(lines.map(({ paymentId }) => paymentId))];
  const [payments, transfers, clearings] = await Promise.all([
    listPayments(on, userId, paymentIds),
    listTransfers(on, userId, paymentIds),
    listClearingsOf(on, userId, lines),
  ]);
  const paymentById = new Map(payments.map((payment) => [payment.id, payment]));
  const clearingById = new Map(clearings.map((clearing) => [clearing.id, clearing]));
  const transfersByPayment = Map.groupBy(transfers, ({ paymentId }) => paymentId);
  return lines.flatMap(({ paymentId, clearingId }) => {
    const payment = paymentById.get(paymentId);
    const clearing = clearingId === null ? null : (clearingById.get(clearingId) ?? null);
    return payment ? buildCardEvent(policy, payment, transfersByPayment.get(paymentId) ?? [], clearing) : [];
  });
}

/** More than anybody looks at in one piece. */
const linesMax = 1_000;

/** The history of the user's activated cards, newest first, a thousand events at most. */
export async function listAllTransactions(ctx: UserContext, filters: Filters): Promise<CardEvent[]> {
  const filter = await filterOf(ctx, filters);
  return ctx.lists.read(async (on) => {
    const lines = await listHistory(on, filter, { limit: linesMax, offset: 0 });
    return readLines(ctx, on, lines);
  });
}
