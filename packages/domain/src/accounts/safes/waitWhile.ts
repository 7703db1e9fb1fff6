import type { SafeStatus } from "@cardkeep/contract/accounts/safes";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { UserContext } from "../../core/context.ts";

/** Asks again until the answer is not null or the request has to be answered: `pollUntil` or `waitUntil`. */
type Poll = (ask: () => Promise<Safe | null>) => Promise<Safe | null>;

/** Waits inside a request until the worker has moved a Safe out of `status`. Returns the Safe as it was read last. */
export async function waitWhile(ctx: UserContext, safeId: string, status: SafeStatus, poll: Poll): Promise<Safe> {
  let last: Safe | null = null;
  await poll(async () => {
    last = await findSafe(ctx.db, safeId);
    if (!last) throw new Error(`Safe ${safeId} has no row`);
    return last.status === status ? null : last;
  });
  if (!last) throw new Error(`Safe ${safeId} was not read`);
  return last;
}
