import { sql } from "drizzle-orm";
import type { Db } from "../client.ts";
import { describeMonth, type Month } from "../partitions.ts";

/**
 * Statements that a month's payments count in and that are not made yet: once the payments left, a statement could not say what
 * moved its money. People without an account have none.
 */
export async function listUnmadeStatements(
  on: Pick<Db, "execute">,
  { month, zone, limit }: { month: Month; zone: string; limit: number },
): Promise<{ userId: string; month: string }[]> {
  const [clearings, transfers] = (["card_clearings", "card_transfers"] as const).map((table) =>
    sql.raw(describeMonth(table, month)),
  );
  const rows = await on.execute<{ userId: string; month: string }>(sql`
    select distinct dated.user_id as "userId", to_char(dated.at at time zone ${zone}, 'YYYY-MM') as month
    from (select user_id, posted_at as at from ${clearings} union all select user_id, created_at from ${clearings}
      union all select user_id, created_at from ${transfers} union all select user_id, updated_at from ${transfers}) dated
    where exists (select from users u join safes s on s.user_id = u.id
        where u.id = dated.user_id and u.erased_at is null and s.status = 'ok' and s.token_symbol is not null)
      and not exists (select from statements made
        where made.user_id = dated.user_id and made.month = to_char(dated.at at time zone ${zone}, 'YYYY-MM'))
    order by 1, 2 limit ${limit}`);
  return [...rows];
}
