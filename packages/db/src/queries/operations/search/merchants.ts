/** Searches for merchants: names of the last months that begin with a text, by the index of payments by merchant. */
import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../../client.ts";
import { addMonths, boundOf, monthOf } from "../../../partitions.ts";
import type { Clue, Hit } from "../../../searchRows.ts";

/** Payments of the present month and so many before it are searched: whole partitions, 90 days and more. */
const monthsBefore = 3;

/** Above every character, so that a text and this bound the names that begin with the text. */
const lastCharacter = "\u{10ffff}";

const name = sql`lower(p.merchant_name)`;

type Newest = { name: string; detail: string | null; createdAt: string };

/** The newest payment at a merchant of exactly this name. */
async function findNewest(on: Executor, since: SQL, merchant: string): Promise<Hit | null> {
  const [row] = await on.execute<Newest>(sql`
    select merchant_name as name, nullif(concat_ws(', ', merchant_city, merchant_country), '') as detail, created_at as "createdAt"
    from card_payments p where ${name} = ${merchant} and ${since} order by p.id desc limit 1`);
  if (row === undefined) return null;
  const { name: title, detail, createdAt } = row;
  return { id: merchant, title, detail, status: null, userId: null, createdAt: new Date(createdAt) };
}

/**
 * One hit for each name, in the order of the names, `limit` at most. The index is asked for the next name that is greater than the last
 * one, so a name with a million payments costs as much as one with a single payment.
 */
export async function findMerchants(
  on: Executor,
  { clues, limit, now }: { clues: readonly Clue[]; limit: number; now: Date },
): Promise<Hit[]> {
  const [text] = clues.flatMap((clue) => (clue.by === "words" ? [clue.text] : []));
  if (text === undefined) return [];
  const first = text.toLowerCase();
  const since = sql`p.id >= ${boundOf("card_payments", addMonths(monthOf(now), -monthsBefore))}`;
  const hits: Hit[] = [];
  let after = sql`${name} ~>=~ ${first}`;
  while (hits.length < limit) {
    const [next] = await on.execute<{ name: string }>(sql`
      select ${name} as name from card_payments p
      where ${after} and ${name} ~<~ ${first + lastCharacter} and ${since} order by ${name} using ~<~ limit 1`);
    if (next === undefined) return hits;
    const hit = await findNewest(on, since, next.name);
    if (hit !== null) hits.push(hit);
    after = sql`${name} ~>~ ${next.name}`;
  }
  return hits;
}
