/** Postings of unannounced money on chain that are in suspense: no event explains them, and no operator did. */
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { isUnposted, type Texts } from "./spans.ts";

export interface SuspendedPosting {
  /** Of the posting. */
  readonly id: string;
  /** Kind and currency: `treasury:EUR`. */
  readonly account: string;
  /** Base units: below zero left the account. */
  readonly amount: bigint;
  /** The transaction. */
  readonly hash: string;
  /** The day of the chain, `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * The postings of the accounts of some kinds, oldest first. Of a currency's money that came, what is below `leastIn` is left out: anybody
 * may send it, as often as they pay for the gas.
 */
export async function listSuspended(
  on: Executor,
  kinds: readonly string[],
  leastIn: ReadonlyMap<string, bigint>,
): Promise<SuspendedPosting[]> {
  const least = JSON.stringify(
    Object.fromEntries([...leastIn].map(([currency, amount]) => [currency, String(amount)])),
  );
  const rows = await on.execute<Texts<SuspendedPosting>>(sql`
    select u.id::text, l.account, l.amount::text, l.reference as hash, u.effective_on::text as day
    from book_postings u join book_lines l on l.posting_id = u.id and l.reference is not null
    where u.type = 'unannounced' and split_part(l.account, ':', 1) in ${kinds}
      and (l.amount < 0 or l.amount >= coalesce((${least}::jsonb ->> split_part(l.account, ':', 2))::numeric, 0))
      and ${isUnposted(["unannounced-end", "explanation"], sql`u.id::text`)}
    order by u.id`);
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/**
 * By account, the base units that left by postings which operators explained, beyond what they explained of each: an item was explained
 * for that part.
 */
export async function sumPartsOfItems(on: Executor): Promise<Map<string, bigint>> {
  const rows = await on.execute<{ account: string; sum: string }>(sql`
    select l.account, sum(s.amount - l.amount)::text as sum
    from book_postings e join book_lines s on s.posting_id = e.id and s.account like 'suspense:%'
    join book_postings u on u.type = 'unannounced' and u.id::text = e.external_id
    join book_lines l on l.posting_id = u.id and l.reference is not null and l.amount < 0
    where e.type = 'explanation' group by l.account`);
  return new Map(rows.map(({ account, sum }) => [account, BigInt(sum)]));
}
