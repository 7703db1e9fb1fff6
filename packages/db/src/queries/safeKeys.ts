/** The service's keys that Safes depend on. */
import type { Address } from "@cardkeep/contract/primitives";
import { and, count, eq } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { isNoneOf, isOneOf } from "../schema/columns.ts";
import { deployingStatuses } from "../schema/safes.ts";
import { safes } from "../schema/tables.ts";

export interface KeyUse {
  address: Address;
  safeCount: number;
}

/**
 * Members of spending roles, each with its Safes. Those that their people gave up count: they may still owe card money.
 * Those whose owner has not signed the set-up do not: the present spender takes the role.
 */
export const countSafesBySpender = (on: Executor): Promise<KeyUse[]> =>
  on
    .select({ address: safes.spender, safeCount: count() })
    .from(safes)
    .where(isNoneOf(safes.status, ["failed", "created"]))
    .groupBy(safes.spender);

/** Operators' keys for which Safes were opened that are not set up yet. A Safe that is set up needs none. */
export const countSafesByOperator = (on: Executor): Promise<KeyUse[]> =>
  on
    .select({ address: safes.creator, safeCount: count() })
    .from(safes)
    .where(and(eq(safes.setUpBy, "operator"), isOneOf(safes.status, deployingStatuses)))
    .groupBy(safes.creator);
