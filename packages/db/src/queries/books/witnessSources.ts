/** What witnesses have and no event explains. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { isUnposted, type Positioned, type SourceSpan, type Texts, within } from "./spans.ts";

const readRow = <T extends { amount: string; at: string; position: string }>(row: T) => ({
  ...row,
  amount: BigInt(row.amount),
  at: new Date(row.at),
  position: new Date(row.position),
});

/** What a witness recorded, and no other posting explains. */
export interface WitnessFact {
  readonly witness: string;
  readonly reference: string;
  readonly ordinal: number;
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly kind: string;
  readonly at: Date;
}

/**
 * Entries of witnesses whose reference no line of the account has: the issuer's fees and top-ups, and what moved on chain
 * unannounced. `explained` are the kinds that other postings explain; what moved after `before` may still get its own.
 */
export async function listUnexplainedEntries(
  on: Executor,
  { witness, explained, before, ...span }: SourceSpan & { witness: string; explained: readonly string[]; before: Date },
): Promise<Positioned<WitnessFact>[]> {
  const rows = await on.execute<Texts<Positioned<WitnessFact>>>(sql`
    select w.created_at::text as position, w.witness, w.reference, w.ordinal, w.account, w.currency, w.amount::text, w.kind, w.at::text
    from book_witness_entries w
    where ${within(sql`w.created_at`, span)} and w.witness = ${witness} and w.amount <> 0
      and w.at < ${before.toISOString()}::timestamptz
      and w.kind not in (select json_array_elements_text(${JSON.stringify(explained)}::json))
      and not exists (select from book_lines l where l.reference = w.reference and l.account = w.account)
    order by w.created_at, w.reference, w.ordinal limit ${span.limit}`);
  return rows.map(readRow);
}

/** What the chain has of a transaction on an account beyond all lines of it. */
export interface RestFact {
  readonly reference: string;
  readonly account: string;
  readonly currency: string;
  /** Below zero left the account. */
  readonly amount: bigint;
  readonly at: Date;
  /** Of unannounced money of the two before. */
  readonly postings: number;
}

/**
 * Rests of transactions of which other postings have lines: others may have moved money by the same one. A rest is of entries of the span,
 * or of postings that were taken back in it; what moved after `before` may still get its own. Where the end of a suspense is to come, the
 * rest is of what it leaves.
 */
export async function listRests(
  on: Executor,
  { before, ...span }: SourceSpan & { before: Date },
): Promise<Positioned<RestFact>[]> {
  const rows = await on.execute<Texts<Positioned<RestFact>>>(sql`
    with moved as (
      select w.created_at as position, w.reference, w.account from book_witness_entries w
      where ${within(sql`w.created_at`, span)} and w.witness = 'chain'
      union all
      select p.booked_at, l.reference, l.account
      from book_postings p join book_lines l on l.posting_id = p.id and l.reference is not null
      where p.type in ('unannounced-end', 'order-end') and ${within(sql`p.booked_at`, span)})
    select m.position::text, m.reference, m.account, w.currency, (w.amount - b.amount)::text as amount, w.at::text,
      (select count(*) from book_lines l join book_postings p on p.id = l.posting_id and p.type = 'unannounced'
        where l.reference = m.reference and l.account = m.account)::int as postings
    from (select max(position) as position, reference, account from moved group by reference, account) m
    cross join lateral (select min(w.currency) as currency, sum(w.amount) as amount, max(w.at) as at from book_witness_entries w
      where w.witness = 'chain' and w.reference = m.reference and w.account = m.account) w
    cross join lateral (select sum(l.amount) as amount from book_lines l
      where l.reference = m.reference and l.account = m.account) b
    where w.amount <> b.amount and w.at < ${before.toISOString()}::timestamptz
      and not exists (select from book_lines l join book_postings u on u.id = l.posting_id and u.type = 'unannounced'
        where l.reference = m.reference and l.account = m.account and sign(l.amount) = sign(b.amount - w.amount)
          and ${isUnposted(["unannounced-end"], sql`u.id::text`)})
    order by m.position, m.reference, m.account limit ${span.limit}`);
  return rows.map(readRow);
}

/** When the first people came: nothing has to be posted from before. Null without anybody. */
export async function findFirstInstant(on: Executor): Promise<Date | null> {
  const [row] = await on.execute<{ at: string | null }>(sql`select min(created_at)::text as at from users`);
  return row?.at ? new Date(row.at) : null;
}

/** What a witness has recorded of an object of an account so far. */
export async function sumWitnessed(
  on: Executor,
  { witness, account, reference }: { witness: string; account: string; reference: string },
): Promise<bigint> {
  const [row] = await on.execute<{ sum: string }>(sql`
    select coalesce(sum(amount), 0)::text as sum from book_witness_entries
    where witness = ${witness} and reference = ${reference} and account = ${account}`);
  return BigInt(row?.sum ?? 0);
}

/** What a witness has recorded of each account so far. */
export async function sumWitnessedAccounts(on: Executor, witness: string): Promise<Map<string, bigint>> {
  const rows = await on.execute<{ account: string; sum: string }>(sql`
    select account, sum(amount)::text as sum from book_witness_entries where witness = ${witness} group by account`);
  return new Map(rows.map(({ account, sum }) => [account, BigInt(sum)]));
}

/** Customers' Safes that have an IBAN, behind a user. */
export const listSafesWithIban = async (
  on: Executor,
  { after, limit }: { after: string; limit: number },
): Promise<{ userId: string; address: Address }[]> => [
  ...(await on.execute<{ userId: string; address: Address }>(sql`
    select user_id as "userId", address from ibans
    where status = 'ASSIGNED' and address is not null and user_id > ${after} order by user_id limit ${limit}`)),
];
