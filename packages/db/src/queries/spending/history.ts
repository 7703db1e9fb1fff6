/** Card history: payments, refunds and reversals in one list. */
import { historyCountedMax } from "@cardkeep/contract/spending/spendingRoutes";
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { spell } from "../../schema/columns.ts";
import { listedKinds } from "../../schema/spending/payments.ts";
import { cardClearings } from "../../schema/tables.ts";
import type { CardClearing } from "./payments.ts";

/** What a page of card history is chosen by; null leaves a condition out. */
export interface HistoryFilter {
  userId: string;
  cardTokens: readonly string[] | null;
  updatedSince: Date | null;
  before: Date | null;
  after: Date | null;
  billingCurrency: string | null;
  transactionCurrency: string | null;
  mcc: string | null;
  transactionType: string | null;
}

/** A line of card history: a payment, or a refund or reversal of one. */
export interface HistoryLine {
  paymentId: string;
  clearingId: string | null;
}

/** Undecided, or no payment but a refund by itself, which is listed as that. */
const unlistedStatuses: readonly PaymentStatus[] = ["REQUESTED", "CREDITED"];

/** Whether a payment, or a transfer of its thread, changed at an instant or later: its lines show both. */
const wasUpdatedSince = (since: Date | null): SQL => sql`(p.updated_at >= ${since?.toISOString() ?? null}::timestamptz
  or exists (select from card_transfers t where t.payment_id = p.id and t.user_id = p.user_id
    and t.updated_at >= ${since?.toISOString() ?? null}::timestamptz))`;

/** Both kinds of lines, each with `end` behind its conditions. */
const historyOf = (filter: HistoryFilter, end: SQL) => {
  const isWanted = (createdAt: ReturnType<typeof sql>, transactionType: ReturnType<typeof sql>) => sql`
    c.user_id = ${filter.userId} and c.activated_at is not null
    and (${filter.cardTokens === null} or c.card_token in (select json_array_elements_text(${JSON.stringify(filter.cardTokens ?? [])}::json)))
    and (${filter.updatedSince?.toISOString() ?? null}::timestamptz is null or ${wasUpdatedSince(filter.updatedSince)})
    and (${filter.before?.toISOString() ?? null}::timestamptz is null or ${createdAt} < ${filter.before?.toISOString() ?? null}::timestamptz)
    and (${filter.after?.toISOString() ?? null}::timestamptz is null or ${createdAt} > ${filter.after?.toISOString() ?? null}::timestamptz)
    and (${filter.billingCurrency}::text is null or p.billing_currency = ${filter.billingCurrency})
    and (${filter.transactionCurrency}::text is null or p.merchant_currency = ${filter.transactionCurrency})
    and (${filter.mcc}::text is null or p.mcc = ${filter.mcc})
    and (${filter.transactionType}::text is null or ${transactionType} = ${filter.transactionType})`;
  return sql`
    (select p.id as "paymentId", null::text as "clearingId", p.created_at as at
      from card_payments p join cards c on c.id = p.card_id
      where p.user_id = ${filter.userId} and p.status not in (${sql.raw(spell(unlistedStatuses))})
        and ${isWanted(sql`p.created_at`, sql`p.transaction_type`)} ${end})
    union all
    (select p.id as "paymentId", l.id as "clearingId", l.created_at as at
      from card_clearings l join card_payments p on p.id = l.payment_id and p.user_id = l.user_id join cards c on c.id = p.card_id
      where l.user_id = ${filter.userId} and l.kind in (${sql.raw(spell(listedKinds))})
        and ${isWanted(sql`l.created_at`, sql`case l.kind when 'refund' then '20' else p.transaction_type end`)} ${end})`;
};

/** How many lines a user's card history has, `historyCountedMax` at most. */
export async function countHistory(on: Executor, filter: HistoryFilter): Promise<number> {
  // Each kind of lines by its index, as far as it is counted. Citus cannot keep rows without a column.
  const counted = historyOf(filter, sql`limit ${historyCountedMax}`);
  const [total] = await on.execute<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from (${counted}) history limit ${historyCountedMax}) counted`,
  );
  return total?.count ?? 0;
}

/** One page of a user's card history, newest first. */
export async function listHistory(
  on: Executor,
  filter: HistoryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<HistoryLine[]> {
  const order = sql`order by at desc, "paymentId" desc, "clearingId" desc nulls last`;
  // Each kind of lines by its index, as far as the page goes.
  const newest = historyOf(filter, sql`${order} limit ${offset + limit}`);
  const lines = await on.execute<{ paymentId: string; clearingId: string | null }>(sql`
    select "paymentId", "clearingId" from (${newest}) history ${order} limit ${limit} offset ${offset}`);
  return [...lines];
}

/** A user's refunds and reversals that lines of history name. */
export async function listClearingsOf(
  on: Executor,
  userId: string,
  lines: readonly HistoryLine[],
): Promise<CardClearing[]> {
  const named = lines.flatMap(({ paymentId, clearingId }) => (clearingId === null ? [] : [{ paymentId, clearingId }]));
  if (named.length === 0) return [];
  return on
    .select()
    .from(cardClearings)
    .where(
      and(
        eq(cardClearings.userId, userId),
        inArray(
          cardClearings.paymentId,
          named.map(({ paymentId }) => paymentId),
        ),
        inArray(
          cardClearings.id,
          named.map(({ clearingId }) => clearingId),
        ),
      ),
    );
}
