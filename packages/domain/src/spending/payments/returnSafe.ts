import type { Executor } from "@cardkeep/db/client";
import { hasExecutedViolation } from "@cardkeep/db/queries/accounts/integrity";
import { type CurrencySafe, findActiveSafe } from "@cardkeep/db/queries/accounts/safes";

/**
 * The Safe that gets what comes back of a payment: the one that paid, also after its reset. Who changed that one may take the money,
 * so after the reset of a changed Safe it is the person's one in service with the same token; null while there is none.
 */
export async function findReturnSafe(on: Executor, paid: CurrencySafe): Promise<CurrencySafe | null> {
  if (paid.status !== "reset" || !(await hasExecutedViolation(on, paid.id))) return paid;
  const current = await findActiveSafe(on, paid.userId);
  if (current?.tokenSymbol !== paid.tokenSymbol || (await hasExecutedViolation(on, current.id))) return null;
  return current;
}
