/** People who signed up with another user's code. */
import { sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { users } from "../schema/tables.ts";

/** How many signed up with an upper-case code, and how many of them ever had a card. */
export async function countReferrals(on: Executor, code: string): Promise<{ all: number; completed: number }> {
  const [row] = await on
    .select({
      all: sql<number>`count(*)::int`,
      completed: sql<number>`(count(*) filter (where exists (select from cards c where c.user_id = users.id)))::int`,
    })
    .from(users)
    .where(sql`upper(${users.referralCouponCode}) = ${code}`);
  return row ?? { all: 0, completed: 0 };
}
