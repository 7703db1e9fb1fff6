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

/**
 * Postings of unannounced money, or of a top-up by a witness alone, whose reference another posting of the account has by now.
 * The span is of that other posting, which may come at any time.
 */
export const listExplained = (on: Executor, span: SourceSpan): Promise<Positioned<ReversedPosting>[]> =>
  read(
    on,
    sql`
    select max(p.booked_at)::text as position, u.id::text as "postingId", u.cause, max(p.booked_at)::text as at, ${linesOfPosting} as lines
    from book_postings u join book_lines own on own.posting_id = u.id and own.reference is not null
    join book_lines other on other.reference = own.reference and other.account = own.account and other.posting_id <> u.id
    join book_postings p on p.id = other.posting_id and p.type not in ('unannounced', 'top-up', 'unannounced-end')
    where ${within(sql`p.booked_at`, span)} and u.type in ('unannounced', 'top-up') and ${isUnposted(["unannounced-end"], sql`u.id::text`)}
    group by u.id order by max(p.booked_at), u.id limit ${span.limit}`,
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
