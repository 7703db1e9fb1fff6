import type { Executor } from "@cardkeep/db/client";
import { hasExecutedViolation } from "@cardkeep/db/queries/accounts/integrity";
import { type CurrencySafe, findActiveSafe } from "@cardkeep/db/queries/accounts/safes";

/**
 * The Safe that gets what comes back of a payment: the one that paid, until its reset. One that paid can be reset only because it was
 * changed, or will be by what its queue holds, and who changed it may take the money. So after that it is the person's one in service
 * with the same token; null while there is none.
 */
export async function findReturnSafe(on: Executor, paid: CurrencySafe): Promise<CurrencySafe | null> {
  if (paid.status !== "reset") return paid;
  const current = await findActiveSafe(on, paid.userId);
  if (current?.tokenSymbol !== paid.tokenSymbol || (await hasExecutedViolation(on, current.id))) return null;
  return current;
}
