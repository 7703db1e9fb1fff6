/** The service's keys that Safes depend on. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, count, eq, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { isNoneOf, isOneOf } from "../../schema/columns.ts";
import { deployingStatuses, spenderlessStatuses } from "../../schema/accounts/safes.ts";
import { safes } from "../../schema/tables.ts";

export interface KeyUse {
  address: Address;
  safeCount: number;
}

const hasSpender = isNoneOf(safes.status, spenderlessStatuses);

/**
 * Members of spending roles, each with its Safes, of which at most `countMax` are counted. Those that their people gave up
 * count: they may still owe card money. Those whose owner has not signed the set-up do not: the present spender takes the role.
 */
export const countSafesBySpender = (on: Executor, countMax: number | null): Promise<KeyUse[]> => {
  // The few spenders are found one after the other by their index, without reading all Safes.
  const next = (condition = sql``) =>
    sql`select ${safes.spender} from ${safes} where ${hasSpender} ${condition} order by ${safes.spender} limit 1`;
  return on.execute<{ address: Address; safeCount: number }>(sql`
    with recursive members as (
      (${next()})
      union all
      select (${next(sql`and ${safes.spender} > members.spender`)}) from members where spender is not null)
    select spender as address,
      (select count(*)::int from (select from ${safes} where ${hasSpender} and ${safes.spender} = members.spender limit ${countMax}) counted) as "safeCount"
    from members where spender is not null`);
};

/** Operators' keys for which Safes were opened that are not set up yet. A Safe that is set up needs none. */
export const countSafesByOperator = (on: Executor): Promise<KeyUse[]> =>
  on
    .select({ address: safes.creator, safeCount: count() })
    .from(safes)
    .where(and(eq(safes.setUpBy, "operator"), isOneOf(safes.status, deployingStatuses)))
    .groupBy(safes.creator);
