/** Days of the books: sealed, hashed, compared with the witnesses, closed. */
import { asc, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { bookCloses, bookDays, bookItems } from "../../schema/tables.ts";
import { clearingTypes, entryTypes } from "./cardSources.ts";
import { isUnposted } from "./spans.ts";
import { spell } from "../../schema/columns.ts";
import { issuedCurrencies } from "../../schema/users/ibans.ts";

export type BookDay = typeof bookDays.$inferSelect;
export type BookClose = typeof bookCloses.$inferSelect;
export type BookItem = typeof bookItems.$inferSelect;

/** The first day with a posting, and the last sealed and last closed one; null for none. */
export async function readBookDays(
  on: Executor,
): Promise<{ first: string | null; sealed: string | null; closed: string | null }> {
  const [row] = await on.execute<{ first: string | null; sealed: string | null; closed: string | null }>(sql`
    select (select min(period)::text from book_postings) as first, (select max(day)::text from book_days) as sealed,
      (select max(day)::text from book_closes) as closed`);
  return row ?? { first: null, sealed: null, closed: null };
}

/** Seals a day unless it is sealed: nothing is booked in it from this commit on. */
export async function sealDay(tx: Tx, row: Pick<BookDay, "day" | "sealedAt" | "requestId">): Promise<void> {
  // The lock of `book_days_seal`: of two at once, the second looks once the first has sealed.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('cardkeep:books', 0))`);
  await tx.execute(sql`
    insert into book_days (day, sealed_at, request_id)
    select ${row.day}::date, ${row.sealedAt.toISOString()}::timestamptz, ${row.requestId}
    where not exists (select from book_days where day = ${row.day}::date)`);
}

/** Its row lock orders those who work at a day. */
export async function lockDay(tx: Tx, day: string): Promise<BookDay | null> {
  const [row] = await tx.select().from(bookDays).where(eq(bookDays.day, day)).for("update");
  return row ?? null;
}

export async function updateDay(tx: Tx, day: string, change: Partial<BookDay>): Promise<void> {
  await tx.update(bookDays).set(change).where(eq(bookDays.day, day));
}

export async function findClose(on: Executor, day: string): Promise<BookClose | null> {
  const [row] = await on.select().from(bookCloses).where(eq(bookCloses.day, day));
  return row ?? null;
}

/** Closes before a day, newest first; null: all. */
export const listCloses = (on: Executor, { before, limit }: { before: string | null; limit: number }) =>
  on
    .select()
    .from(bookCloses)
    .where(before === null ? undefined : lt(bookCloses.day, before))
    .orderBy(desc(bookCloses.day))
    .limit(Math.min(limit, 100_000));

/** What may be published of closes before a day, newest first; null: of all. */
export const listRoots = (on: Executor, { before, limit }: { before: string | null; limit: number }) =>
  on
    .select({ day: bookCloses.day, root: bookCloses.root, digest: bookCloses.digest, closedAt: bookCloses.closedAt })
    .from(bookCloses)
    .where(before === null ? undefined : lt(bookCloses.day, before))
    .orderBy(desc(bookCloses.day))
    .limit(limit);

export async function insertClose(tx: Tx, row: BookClose): Promise<void> {
  await tx.insert(bookCloses).values(row);
}

export const listOpenItems = (on: Executor): Promise<BookItem[]> =>
  on.select().from(bookItems).where(isNull(bookItems.resolvedDay)).orderBy(asc(bookItems.id));

/** A statement has a time limit, and a day of which nothing was posted has as many items as entries. */
const itemsOfStatement = 5_000;

/** Writes the items that a close has, and ends those that it has no more. */
export async function saveItems(
  tx: Tx,
  {
    open,
    resolved,
    day,
  }: { open: readonly Omit<BookItem, "resolvedDay">[]; resolved: readonly { id: string }[]; day: string },
): Promise<void> {
  for (let from = 0; from < open.length; from += itemsOfStatement) {
    const opened = open.slice(from, from + itemsOfStatement).map((row) => ({ ...row, amount: String(row.amount) }));
    await tx.execute(sql`
      insert into book_items (id, witness, account, currency, reference, amount, cause, owner, first_day)
      select id, witness, account, currency, reference, amount, cause, owner, "firstDay"
      from json_to_recordset(${JSON.stringify(opened)}::json) as g(id text, witness text, account text, currency text,
        reference text, amount numeric, cause text, owner text, "firstDay" date)
      on conflict (id) do update set amount = excluded.amount, cause = excluded.cause, first_day = excluded.first_day,
        resolved_day = null`);
  }
  await tx.execute(sql`
    update book_items set amount = 0, resolved_day = ${day}::date
    where id in (select json_array_elements_text(${JSON.stringify(resolved.map(({ id }) => id))}::json))`);
}

/** What a day moved on each account. */
export async function sumDay(on: Executor, day: string): Promise<Map<string, { currency: string; amount: bigint }>> {
  const rows = await on.execute<{ account: string; currency: string; amount: string }>(sql`
    select account, currency, sum(amount)::text as amount from book_lines where period = ${day} group by 1, 2`);
  return new Map(rows.map(({ account, currency, amount }) => [account, { currency, amount: BigInt(amount) }]));
}

/** A comparison of one account with one witness over a day. */
export interface Comparison {
  readonly witness: string;
  readonly account: string;
  readonly currency: string;
  readonly witnessed: bigint;
  readonly booked: bigint;
}

interface Unmatched {
  readonly witness: string;
  readonly account: string;
  readonly currency: string;
  readonly reference: string;
  readonly amount: bigint;
}

interface Row extends Record<string, unknown> {
  account: string;
  currency: string;
  reference: string | null;
  seen: string;
  booked: string;
}

const text = (words: readonly string[]) => sql`(select json_array_elements_text(${JSON.stringify(words)}::json))`;

/** Rows by account with a null reference for its sums, and one row for each object where the sides differ. */
const compare = (seen: ReturnType<typeof sql>, booked: ReturnType<typeof sql>) => sql`
  with seen as (${seen}), booked as (${booked}),
  sides as (
    select account, reference, sum(s) as seen, sum(b) as booked from (
      select account, reference, amount as s, 0 as b from seen union all
      select account, reference, 0, amount from booked) both_sides
    group by account, reference)
  select account, split_part(account, ':', 2) as currency, null as reference, sum(seen)::text as seen,
    sum(booked)::text as booked from sides group by account
  union all
  select account, split_part(account, ':', 2), reference, seen::text, booked::text from sides where seen <> booked
  order by account, reference nulls first`;

/** What each witness has of a day against what the books have, and each object that differs. */
export async function compareDay(
  on: Executor,
  { day, from, to }: { day: string; from: Date; to: Date },
): Promise<{ comparisons: Comparison[]; unmatched: Unmatched[] }> {
  const recorded = (witness: string, kinds: string) =>
    compare(
      sql`select account, reference, amount from book_witness_entries where period = ${day} and witness = ${witness}`,
      sql`select account, coalesce(reference, 'posting ' || posting_id) as reference, amount from book_lines
        where period = ${day} and account ~ ${kinds}`,
    );
  // A row counts in the day of its posting; without one in its own, and once it is an item no more.
  const span = sql`>= ${from.toISOString()}::timestamptz`;
  const end = sql`< ${to.toISOString()}::timestamptz`;
  const noItem = (witness: string, id: ReturnType<typeof sql>) =>
    sql`not exists (select from book_items i where i.witness = ${witness} and i.reference = ${id} and i.resolved_day is null)`;
  const own = (types: readonly string[]) =>
    sql`select p.id, p.external_id, p.cause from book_postings p where p.period = ${day} and p.type in ${text(types)}`;
  // Those posted in the day are left out first, so that few rows are looked for among all postings.
  const notPosted = (types: readonly string[], rows: ReturnType<typeof sql>) =>
    sql`select r.* from (
        select r.* from (${rows}) r where not exists (select from (${own(types)}) o where o.external_id = r.id) offset 0) r
      left join lateral (select p.id from book_postings p where p.type in ${text(types)} and p.external_id = r.id limit 1) p on true
      where p.id is null`;
  const ledger = compare(
    sql`select v.kind || ':' || case s.token_symbol when 'EURe' then 'EUR' when 'GBPe' then 'GBP' else 'USD' end as account,
        e.id as reference, v.amount
      from (select e.* from (${own(entryTypes)}) o
          join ledger_entries e on e.payment_id = o.cause and e.id = o.external_id
        union all
        ${notPosted(entryTypes, sql`select e.* from ledger_entries e where e.created_at ${span} and e.created_at ${end}`)}) e
      join safes s on s.id = e.safe_id,
      lateral (values ('safes', e.safe), ('holds', e.held), ('settlement', e.settlement), ('customer-debts', e.owed),
        ('credit-losses', e.written_off)) v(kind, amount)
      where v.amount <> 0 and s.token_symbol is not null and ${noItem("ledger", sql`e.id`)}`,
    sql`select l.account, o.external_id as reference, l.amount from (${own(entryTypes)}) o
      join book_lines l on l.posting_id = o.id and l.period = ${day}
      where split_part(l.account, ':', 1) in ('safes', 'holds', 'settlement', 'customer-debts', 'credit-losses')`,
  );
  const clearings = compare(
    sql`select 'prefund:' || p.billing_currency as account, c.id as reference,
        c.amount_cents * case p.billing_currency when 'USD' then 1e4 else 1e16 end
          * case when c.kind in ('capture', 'refund_reversal') then -1 else 1 end as amount
      from (select c.* from (${own(clearingTypes)}) o
          join card_clearings c on c.payment_id = o.cause and c.id = o.external_id
        union all
        ${notPosted(
          clearingTypes,
          sql`select c.* from card_clearings c where c.created_at ${span} and c.created_at ${end} and c.kind <> 'reversal'`,
        )}) c
      join card_payments p on p.id = c.payment_id and p.user_id = c.user_id
      where ${noItem("clearings", sql`c.id`)}`,
    sql`select l.account, o.external_id as reference, l.amount from (${own(clearingTypes)}) o
      join book_lines l on l.posting_id = o.id and l.period = ${day} where l.account like 'prefund:%'`,
  );
  const institution = compare(
    sql`select 'safes:' || upper(o.currency) as account, o.id as reference,
        (o.amount * case o.currency when 'usd' then 1e6 else 1e18 end
          * case o.kind when 'issue' then 1 else -1 end)::numeric(78, 0) as amount
      from (select i.* from (${own(["mint", "redeem"])}) o join iban_orders i on i.id = o.external_id
        union all
        ${notPosted(
          ["mint", "redeem"],
          sql`select i.* from iban_orders i where coalesce(i.updated_at, i.reported_at) ${span}
            and coalesce(i.updated_at, i.reported_at) ${end} and i.state = 'processed' and i.currency in (${sql.raw(spell(issuedCurrencies))})`,
        )}) o
      where ${noItem("institution", sql`o.id`)}
      -- An order that is rejected before its mint was found is never posted: its item ends.
      union all
      select i.account, i.reference, -i.amount from book_items i join iban_orders o on o.id = i.reference
      where i.witness = 'institution' and i.resolved_day is null and o.state = 'rejected'
        and ${isUnposted(["mint", "redeem"], sql`o.id`)}`,
    sql`select l.account, o.external_id as reference, l.amount from (${own(["mint", "redeem"])}) o
      join book_lines l on l.posting_id = o.id and l.period = ${day} where l.account like 'safes:%'`,
  );
  const questions = [
    ["chain", recorded("chain", "^(settlement|treasury):")],
    ["issuer", recorded("issuer", "^prefund:")],
    // Its entries are the differences to the chain themselves.
    ["institution-balance", recorded("institution-balance", "^$")],
    ["ledger", ledger],
    ["clearings", clearings],
    ["institution", institution],
  ] as const;
  const comparisons: Comparison[] = [];
  const unmatched: Unmatched[] = [];
  for (const [witness, question] of questions) {
    for (const { account, currency, reference, seen, booked } of await on.execute<Row>(question)) {
      const [witnessed, own] = [BigInt(seen), BigInt(booked)];
      if (reference === null) comparisons.push({ witness, account, currency, witnessed, booked: own });
      else unmatched.push({ witness, account, currency, reference, amount: witnessed - own });
    }
  }
  return { comparisons, unmatched };
}
