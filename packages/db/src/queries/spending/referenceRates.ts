/** Reference rates that the operator brought in: units of a currency for one euro. */
import { and, asc, desc, eq, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { referenceRates } from "../../schema/tables.ts";

export type ReferenceRate = typeof referenceRates.$inferSelect;

/** The reference rates of some currencies from one day to another, newest first. */
export const listReferenceRates = async (
  on: Executor,
  { currencies, from, to }: { currencies: readonly string[]; from: string; to: string },
): Promise<ReferenceRate[]> =>
  currencies.length === 0
    ? []
    : on
        .select()
        .from(referenceRates)
        .where(
          and(
            inArray(referenceRates.currency, [...currencies]),
            gte(referenceRates.day, from),
            lte(referenceRates.day, to),
          ),
        )
        .orderBy(desc(referenceRates.day));

/** All reference rates, newest day first, behind the one of a day and currency. */
export const listAllRates = (
  on: Executor,
  {
    after,
    limit,
    ...chosen
  }: { after: Pick<ReferenceRate, "day" | "currency"> | null; limit: number } & Record<
    "day" | "currency",
    string | null
  >,
): Promise<ReferenceRate[]> =>
  on
    .select()
    .from(referenceRates)
    .where(
      and(
        chosen.day === null ? undefined : eq(referenceRates.day, chosen.day),
        chosen.currency === null ? undefined : eq(referenceRates.currency, chosen.currency),
        after === null ? undefined : isBehind(after),
      ),
    )
    .orderBy(desc(referenceRates.day), asc(referenceRates.currency))
    .limit(limit);

const isBehind = ({ day, currency }: Pick<ReferenceRate, "day" | "currency">): SQL =>
  sql`(${referenceRates.day} < ${day} or (${referenceRates.day} = ${day} and ${referenceRates.currency} > ${currency}))`;

/** Rates that one statement writes. */
const writtenAtOnce = 5_000;

/** Writes rates; another one of the same day and currency replaces the earlier one. Answers how many are new, and how many others. */
export async function setReferenceRates(
  tx: Tx,
  rates: readonly ReferenceRate[],
): Promise<{ added: number; changed: number }> {
  const written = { added: 0, changed: 0 };
  for (let start = 0; start < rates.length; start += writtenAtOnce) {
    const rows = await tx.execute<{ isNew: boolean }>(sql`
      insert into ${referenceRates} (currency, day, rate, source, created_at)
      select currency, day, rate, source, "createdAt"
        from json_to_recordset(${JSON.stringify(rates.slice(start, start + writtenAtOnce))}::json)
          as given (currency text, day date, rate numeric, source text, "createdAt" timestamptz)
      on conflict (currency, day) do update
        set rate = excluded.rate, source = excluded.source, created_at = excluded.created_at
        where ${referenceRates.rate} <> excluded.rate or ${referenceRates.source} <> excluded.source
      returning xmax = 0 as "isNew"`);
    for (const { isNew } of rows) written[isNew ? "added" : "changed"]++;
  }
  return written;
}
