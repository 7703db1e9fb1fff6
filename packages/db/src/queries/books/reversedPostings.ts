/** Postings that are to be reversed: what was in suspense until its event was known, and payments that orders lost. */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { NewLine } from "./postings.ts";
import { isUnposted, type Positioned, type SourceSpan, type Texts, within } from "./spans.ts";

/** A posting with its lines as they were booked, and since when it does not hold. */
export interface ReversedPosting {
  readonly postingId: string;
  readonly cause: string;
  readonly lines: readonly NewLine[];
  readonly at: Date;
}

/** Types of what a witness alone had. */
const seenTypes = sql`('unannounced', 'top-up')`;

/**
 * Postings of unannounced money, or of a top-up by a witness alone, for as much as the lines of their reference on the account are beyond
 * what the witness has, since another posting came; and what operators explained of such money. One of just that amount is the first. Others
 * moved money by the same transaction: theirs stays. The span is of that other posting, which may come at any time.
 */
export const listExplained = (on: Executor, span: SourceSpan): Promise<Positioned<ReversedPosting>[]> =>
  read(
    on,
    sql`
    with came as (
      select own.reference, own.account, max(p.booked_at) as at
      from book_postings seen join book_lines own on own.posting_id = seen.id and own.reference is not null
      join book_lines other on other.reference = own.reference and other.account = own.account and other.posting_id <> seen.id
      join book_postings p on p.id = other.posting_id and p.type not in ('unannounced', 'top-up', 'unannounced-end')
      where ${within(sql`p.booked_at`, span)} and seen.type in ${seenTypes} group by own.reference, own.account),
    seen as (
      select c.at, s.id, s.cause, d.has_ended, e.excess, sign(own.amount) = sign(e.excess) as has_sign,
        sum(own.amount) filter (where not d.has_ended and sign(own.amount) = sign(e.excess)) over (
          partition by own.reference, own.account order by own.amount = e.excess desc, s.id
          rows between unbounded preceding and 1 preceding) as before
      from came c cross join lateral (select
        (select sum(l.amount) from book_lines l where l.reference = c.reference and l.account = c.account)
        - (select coalesce(sum(w.amount), 0) from book_witness_entries w
          where w.witness in ('chain', 'issuer') and w.reference = c.reference and w.account = c.account) as excess) e
      join book_lines own on own.reference = c.reference and own.account = c.account
      join book_postings s on s.id = own.posting_id and s.type in ${seenTypes}
      cross join lateral (select not ${isUnposted(["unannounced-end"], sql`s.id::text`)} as has_ended) d)
    select seen.at::text as position, u.id::text as "postingId", u.cause, seen.at::text as at, ${linesOfPosting} as lines
    from seen cross join lateral (
      select seen.id, seen.cause
      union all
      select e.id, e.cause from book_postings e where e.cause = seen.id::text and e.type = 'explanation') u
    where (seen.has_ended or (seen.has_sign and abs(coalesce(seen.before, 0)) < abs(seen.excess)))
      and ${isUnposted(["unannounced-end"], sql`u.id::text`)}
    order by seen.at, u.id limit ${span.limit}`,
  );

/** Postings of orders that lost their payment in a span: it pays another order, or its block is gone. */
export const listLostPayments = (on: Executor, span: SourceSpan): Promise<Positioned<ReversedPosting>[]> =>
  read(
    on,
    sql`
    select o.updated_at::text as position, u.id::text as "postingId", u.cause, o.updated_at::text as at, ${linesOfPosting} as lines
    from orders o join book_postings u on u.cause = o.id and u.type in ('order', 'order-unused')
    where ${within(sql`o.updated_at`, span)} and o.paid_at is null and o.transaction_hash is not null
      and ${isUnposted(["order-end"], sql`u.id::text`)}
    order by o.updated_at, u.id limit ${span.limit}`,
  );

/** The lines of the posting `u`, as JSON. */
const linesOfPosting = sql`(select json_agg(json_build_object('account', l.account, 'currency', l.currency,
  'amount', l.amount::text, 'reference', l.reference) order by l.ordinal) from book_lines l where l.posting_id = u.id)`;

type Row = Texts<Positioned<Omit<ReversedPosting, "lines">>> & {
  lines: (Omit<NewLine, "amount"> & { amount: string })[];
};

const read = async (on: Executor, query: SQL): Promise<Positioned<ReversedPosting>[]> =>
  (await on.execute<Row>(query)).map(({ lines, ...row }) => ({
    ...row,
    lines: lines.map((line) => ({ ...line, amount: BigInt(line.amount) })),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
