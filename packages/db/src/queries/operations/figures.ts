/** Figures of the programme: what a day is counted from, and the counted days. */
import { hourMs } from "@cardkeep/contract/core/durations";
import type { Address } from "@cardkeep/contract/core/primitives";
import { type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { dayFigures } from "../../schema/tables.ts";
import { firstIdAt } from "../../timeIds.ts";

export type DayFigure = typeof dayFigures.$inferSelect;

/** From one instant to another, which is no more in it. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
  /** Ids have the wall clock's time; rows are stamped by a clock that is so far ahead of it. */
  readonly offsetMs: number;
}

/** A figure without its day. */
export type CountedFigure = Pick<DayFigure, "name" | "part" | "count" | "amount">;

/** A row may be written so long after its id was made, or its instant be taken before it. */
const idSlackMs = hourMs;

const at = (instant: Date): SQL => sql`${instant.toISOString()}::timestamptz`;

const isWithin = (column: SQL, { from, to }: Pick<Span, "from" | "to">): SQL =>
  sql`${column} >= ${at(from)} and ${column} < ${at(to)}`;

/** Condition on the key of rows that were made within a span: it reads few parts of a divided table. */
const isMadeWithin = (id: SQL, { from, to, offsetMs }: Span): SQL =>
  sql`${id} >= ${firstIdAt(Math.max(0, from.getTime() - offsetMs - idSlackMs))} and ${id} < ${firstIdAt(to.getTime() + idSlackMs)}`;

/** Condition: a payment that was approved. Captures without an authorization and refunds alone were not asked for. */
const isApproved = (payment: string): SQL =>
  sql.raw(`${payment}.status not in ('DECLINED', 'CREDITED') and ${payment}.authorized_cents > 0`);

type Counted = { name: string; part: string; count: string; amount: string };

async function readFigures(on: Executor, query: SQL): Promise<CountedFigure[]> {
  const rows = await on.execute<Counted>(query);
  return rows.map((row) => ({ ...row, count: BigInt(row.count), amount: BigInt(row.amount) }));
}

/** People who signed up, and people whose first card became active. */
export const countPeople = (on: Executor, span: Span): Promise<CountedFigure[]> =>
  readFigures(
    on,
    sql`select 'signUps' as name, '' as part, count(*)::text as count, '0' as amount from users u
      where ${isMadeWithin(sql`u.id`, span)} and ${isWithin(sql`u.created_at`, span)}
    union all
    select 'activated', '', count(distinct c.user_id)::text, '0' from cards c
      where c.activated_at is not null and ${isWithin(sql`c.activated_at`, span)}
        and not exists (select from cards e where e.user_id = c.user_id and e.activated_at < ${at(span.from)})`,
  );

/** Whether a span has more payments than are counted at once. */
export async function hasManyPayments(on: Executor, span: Span, countedMax: number): Promise<boolean> {
  const rows = await on.execute(sql`select from card_payments p
    where ${isMadeWithin(sql`p.id`, span)} and ${isWithin(sql`p.created_at`, span)} offset ${countedMax} limit 1`);
  return rows.length > 0;
}

/** Approved payments by their currency, and declines by their reason. */
export const countPayments = (on: Executor, span: Span): Promise<CountedFigure[]> =>
  readFigures(
    on,
    sql`select case when p.status = 'DECLINED' then 'declined' else 'approved' end as name,
      case when p.status = 'DECLINED' then coalesce(p.decline_reason, '') else p.billing_currency end as part,
      count(*)::text as count, sum(case when p.status = 'DECLINED' then 0 else p.authorized_cents end)::text as amount
    from card_payments p
    where ${isMadeWithin(sql`p.id`, span)} and ${isWithin(sql`p.created_at`, span)}
      and (p.status = 'DECLINED' or ${isApproved("p")})
    group by 1, 2`,
  );

/** The beginnings of the day, week and month that a span is in. */
export interface Beginnings {
  readonly day: Date;
  readonly week: Date;
  readonly month: Date;
}

/**
 * Cards with an approved payment in a span and none before it in the same day, week and month. So the counts of spans add up to
 * the cards of a day, and those of days to the cards of a week and a month.
 */
export function countCards(on: Executor, span: Span, { day, week, month }: Beginnings): Promise<CountedFigure[]> {
  const earliest = week < month ? week : month;
  const before = { ...span, from: earliest, to: span.from };
  return readFigures(
    on,
    sql`with used as materialized (
      select distinct p.user_id, p.card_id from card_payments p
      where ${isMadeWithin(sql`p.id`, span)} and ${isWithin(sql`p.created_at`, span)} and ${isApproved("p")}),
    known as materialized (
      select (select e.created_at from card_payments e
        where e.user_id = used.user_id and e.card_id = used.card_id and ${isApproved("e")}
          and ${isMadeWithin(sql`e.id`, before)} and ${isWithin(sql`e.created_at`, before)}
        order by e.created_at desc limit 1) as last
      from used)
    select name, '' as part, (select count(*) from known where last is null or last < since)::text as count, '0' as amount
    from (values ('activeCards', ${at(day)}), ('activeCardsOfWeek', ${at(week)}), ('activeCardsOfMonth', ${at(month)}))
      as periods(name, since)`,
  );
}

/** What cards spent by their currency: captures, less refunds and what of both was reversed. Counts captures. */
export const sumSpending = (on: Executor, span: Span): Promise<CountedFigure[]> =>
  readFigures(
    on,
    sql`select 'spent' as name, p.billing_currency as part, count(*) filter (where c.kind = 'capture')::text as count,
      sum(case when c.kind in ('capture', 'refund_reversal') then c.amount_cents else -c.amount_cents end)::text as amount
    from card_clearings c join card_payments p on p.id = c.payment_id and p.user_id = c.user_id
    where ${isWithin(sql`c.created_at`, span)} and c.kind <> 'reversal'
    group by 2`,
  );

/** Executed withdrawals of a span by their token. */
export async function sumWithdrawals(
  on: Executor,
  span: Pick<Span, "from" | "to">,
): Promise<{ token: Address; count: bigint; amount: bigint }[]> {
  const rows = await on.execute<{ token: Address; count: string; amount: string }>(sql`
    select d.token_address as token, count(*)::text as count, sum(d.amount)::text as amount from delay_transactions d
    where d.kind = 'withdrawal' and d.status = 'EXECUTED' and ${isWithin(sql`d.updated_at`, span)}
    group by 1`);
  return rows.map(({ token, count, amount }) => ({ token, count: BigInt(count), amount: BigInt(amount) }));
}

/** The newest counted days with the instants at which they were read, newest first. */
export const listCountedDays = async (on: Executor, limit: number): Promise<Pick<DayFigure, "day" | "countedAt">[]> => {
  const rows = await on.execute<{ day: string; countedAt: string }>(sql`
    select day::text, counted_at::text as "countedAt" from day_figures where name = 'signUps'
    order by day desc limit ${limit}`);
  return rows.map(({ day, countedAt }) => ({ day, countedAt: new Date(countedAt) }));
};

/** When the first person signed up; null before. */
export async function findFirstSignUp(on: Executor): Promise<Date | null> {
  const [row] = await on.execute<{ at: string }>(sql`select created_at::text as at from users order by id limit 1`);
  return row ? new Date(row.at) : null;
}

/** Replaces the figures of a day. Those of a reading that began earlier do not replace later ones. */
export async function replaceDay(
  tx: Tx,
  { day, countedAt, figures }: Pick<DayFigure, "day" | "countedAt"> & { readonly figures: readonly CountedFigure[] },
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`cardkeep:figures:${day}`}, 0))`);
  const newer = await tx.execute(sql`select from day_figures
    where day = ${day} and counted_at > ${at(countedAt)} limit 1`);
  if (newer.length > 0) return;
  await tx.execute(sql`delete from day_figures where day = ${day}`);
  await tx.insert(dayFigures).values(figures.map((figure) => ({ ...figure, day, countedAt })));
}

export const figurePeriods = ["day", "week", "month"] as const;
export type FigurePeriod = (typeof figurePeriods)[number];

/** A figure of a period, which begins with `from`. */
export interface PeriodFigure extends CountedFigure {
  readonly from: string;
  /** Its last counted day. */
  readonly to: string;
  readonly countedAt: Date;
}

/** The figures of the newest periods that begin before a day, newest period first. */
export async function listPeriodFigures(
  on: Executor,
  { period, before, limit }: { period: FigurePeriod; before: string | null; limit: number },
): Promise<PeriodFigure[]> {
  const begin = sql`date_trunc(${period}, day::timestamp)::date`;
  const rows = await on.execute<Counted & { from: string; to: string; countedAt: string }>(sql`
    with days as (select day, ${begin} as begin from day_figures where name = 'signUps'
      and (${before}::date is null or day < ${before}::date)),
    periods as (select begin, min(day) as first, max(day) as last from days group by 1 order by 1 desc limit ${limit})
    select p.begin::text as "from", p.last::text as "to", f.name, f.part, sum(f.count)::text as count,
      sum(f.amount)::text as amount, min(f.counted_at)::text as "countedAt"
    from periods p join day_figures f on f.day >= p.first and f.day <= p.last
    group by 1, 2, 3, 4 order by 1 desc, 3, 4`);
  return rows.map((row) => ({
    ...row,
    count: BigInt(row.count),
    amount: BigInt(row.amount),
    countedAt: new Date(row.countedAt),
  }));
}
