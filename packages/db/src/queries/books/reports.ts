/**
 * Reports of finance, from postings alone: sums of lines of a range of days. What was before a range is taken from the last
 * close before it, whose balances are those of its postings.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { isOpenKind } from "../../schema/books/postings.ts";

/** Days of the books, both counted; `from` is null for all up to `to`. */
export interface ReportRange {
  readonly from: string | null;
  readonly to: string;
}

/** An account over a range, in base units. */
export interface AccountSums {
  readonly account: string;
  readonly currency: string;
  readonly opening: bigint;
  readonly debit: bigint;
  /** Below zero. */
  readonly credit: bigint;
}

const within = ({ from, to }: ReportRange): SQL =>
  sql`l.period <= ${to}::date and (${from}::date is null or l.period >= ${from}::date)`;

/** Every account that has moved up to the end of a range, sorted by its name. */
export async function sumAccounts(on: Executor, range: ReportRange): Promise<AccountSums[]> {
  const rows = await on.execute<Record<"account" | "currency" | "opening" | "debit" | "credit", string>>(sql`
    with base as (select day, document::json -> 'accounts' as accounts from book_closes
      where day < ${range.from}::date order by day desc limit 1),
    opened as (
      select a.account, a.currency, a.closing as amount from base,
        json_to_recordset(base.accounts) as a(account text, currency text, closing numeric)
      union all
      select l.account, l.currency, l.amount from book_lines l
        where l.period < ${range.from}::date and l.period > coalesce((select day from base), '-infinity')),
    sums as (
      select account, currency, amount as opening, 0 as debit, 0 as credit from opened
      union all
      select l.account, l.currency, 0, greatest(l.amount, 0), least(l.amount, 0) from book_lines l where ${within(range)})
    select account, currency, sum(opening)::text as opening, sum(debit)::text as debit, sum(credit)::text as credit
    from sums group by account, currency order by account collate "C"`);
  return rows.map(({ account, currency, opening, debit, credit }) => ({
    account,
    currency,
    opening: BigInt(opening),
    debit: BigInt(debit),
    credit: BigInt(credit),
  }));
}

/** Columns of a report: for each name, the kind of account and the types of postings that count. */
type Sums<Name extends string> = Readonly<Record<Name, readonly [kind: string, types: readonly string[]]>>;

const settlementSums = {
  opening: ["settlement", ["opening"]],
  spent: ["settlement", ["spend"]],
  returned: ["settlement", ["return"]],
  swept: ["settlement", ["treasury"]],
  unannounced: ["settlement", ["unannounced", "unannounced-end"]],
  captured: ["prefund", ["capture"]],
  captureReversed: ["prefund", ["capture-reversal"]],
  refunded: ["prefund", ["refund"]],
  refundReversed: ["prefund", ["refund-reversal"]],
  disputes: ["prefund", ["dispute"]],
  interchange: ["prefund", ["interchange"]],
  fees: ["prefund", ["issuer-fee"]],
  // What ends there is a top-up that was booked before it was announced.
  toppedUp: ["prefund", ["top-up", "treasury", "unannounced-end"]],
} as const satisfies Sums<string>;
export type SettlementColumn = keyof typeof settlementSums;

const orderTypes = ["order", "order-end", "order-unused"];
const taxSums = {
  income: ["order-income", orderTypes],
  tax: ["vat", orderTypes],
  coupons: ["coupons", orderTypes],
  returnedIncome: ["order-income", ["order-return"]],
  returnedTax: ["vat", ["order-return"]],
} as const satisfies Sums<string>;
export type TaxColumn = keyof typeof taxSums;

/** A row of a report: a span of days and a currency, with base units of each column. */
export type SumsRow<Name extends string> = { readonly span: string; readonly currency: string } & {
  readonly sums: Readonly<Record<Name, bigint>>;
};

interface Page {
  readonly after: readonly string[] | null;
  readonly limit: number;
}

/** Sums of a range by span and currency, in their order, behind a row. */
async function pageSums<Name extends string>(
  on: Executor,
  { span, columns, range, page }: { span: SQL; columns: Sums<Name>; range: ReportRange; page: Page },
): Promise<SumsRow<Name>[]> {
  const entries = Object.entries(columns) as [Name, Sums<Name>[Name]][];
  const words = (types: readonly string[]) =>
    sql.join(
      types.map((type) => sql`${type}`),
      sql`, `,
    );
  const isOf = ([kind, types]: Sums<Name>[Name]) =>
    sql`(l.account like ${`${kind}:%`} and p.type in (${words(types)}))`;
  const sums = entries.map(
    ([name, of]) => sql`'${sql.raw(name)}', coalesce(sum(l.amount) filter (where ${isOf(of)}), 0)::text`,
  );
  const [afterSpan, afterCurrency] = page.after ?? ["", ""];
  const rows = await on.execute<{ span: string; currency: string; sums: Record<Name, string> }>(sql`
    select * from (
      select ${span} as span, l.currency, json_build_object(${sql.join(sums, sql`, `)}) as sums
      from book_lines l join book_postings p on p.id = l.posting_id
      where ${within(range)} and (${sql.join(
        entries.map(([, of]) => isOf(of)),
        sql` or `,
      )})
      group by 1, 2) s
    where (span collate "C", currency collate "C") > (${afterSpan}, ${afterCurrency})
    order by span collate "C", currency collate "C" limit ${page.limit}`);
  return rows.map((row) => ({
    ...row,
    sums: Object.fromEntries(entries.map(([name]) => [name, BigInt(row.sums[name])])) as Record<Name, bigint>,
  }));
}

/** What a day settled, on chain and at the issuer. */
export const pageSettlement = (on: Executor, range: ReportRange, page: Page): Promise<SumsRow<SettlementColumn>[]> =>
  pageSums(on, { span: sql`l.period::text`, columns: settlementSums, range, page });

/** Order income and its tax by month. */
export const pageTax = (on: Executor, range: ReportRange, page: Page): Promise<SumsRow<TaxColumn>[]> =>
  pageSums(on, { span: sql`to_char(l.period, 'YYYY-MM')`, columns: taxSums, range, page });

/** What is open on an account for one payment, dispute or order. */
export interface OpenAmount {
  readonly account: string;
  readonly currency: string;
  readonly of: string;
  readonly amount: bigint;
  /** Of the first line since it was last even. */
  readonly since: string;
}

/** What is open at the end of a day on debts, credits and what is payable, by account and object. */
export async function pageOpenAmounts(on: Executor, to: string, page: Page): Promise<OpenAmount[]> {
  const [afterAccount, afterObject] = page.after ?? ["", ""];
  const rows = await on.execute<{ account: string; currency: string; of: string; amount: string; since: string }>(sql`
    with moved as (
      select l.account, l.currency, coalesce(l.reference, p.cause) as of, l.period, l.amount,
        sum(l.amount) over same as balance, row_number() over same as place
      from book_lines l join book_postings p on p.id = l.posting_id
      where l.period <= ${to}::date
        and ${isOpenKind(sql`l.account`)}
      window same as (partition by l.account, coalesce(l.reference, p.cause) order by l.period, l.posting_id, l.ordinal)),
    even as (select account, of, coalesce(max(place) filter (where balance = 0), 0) as place from moved group by 1, 2)
    select m.account, m.currency, m.of, sum(m.amount)::text as amount,
      min(m.period) filter (where m.place > e.place)::text as since
    from moved m join even e on e.account = m.account and e.of = m.of
    where (m.account collate "C", m.of collate "C") > (${afterAccount}, ${afterObject})
    group by m.account, m.currency, m.of having sum(m.amount) <> 0
    order by m.account collate "C", m.of collate "C" limit ${page.limit}`);
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}
