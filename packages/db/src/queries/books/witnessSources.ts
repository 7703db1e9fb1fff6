/** What witnesses have and no event explains. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { type Positioned, type SourceSpan, type Texts, within } from "./spans.ts";

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
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    at: new Date(row.at),
    position: new Date(row.position),
  }));
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
