/** An operator's act that a program may repeat: the same `Idempotency-Key` acts once. */
import { fail } from "@cardkeep/contract/core/errors";
import { lockKey, findStoredReply, insertReply } from "@cardkeep/db/queries/core/idempotency";
import type { Work } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import type { OperatorChange } from "../../core/operators/verbs.ts";

/** A key of one operator for one act, and a digest of what the act was asked with. */
export interface IdempotentAct {
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** Whether the act was done already with this key. @throws idempotency.mismatch for another input */
export async function isDone({ db }: Pick<Services, "db">, { scope, key, bodyHash }: IdempotentAct): Promise<boolean> {
  const known = await findStoredReply(db, scope, key);
  if (known !== null && known.bodyHash !== bodyHash) fail("idempotency.mismatch");
  return known !== null;
}

/** Stores in the commit of the act that it was done. Other acts of the same request, such as asking for an approval, are not. */
export const recordOnce =
  (act: IdempotentAct, expected: OperatorChange) =>
  async ({ tx, now }: Work, verb: OperatorChange): Promise<void> => {
    if (verb !== expected) return;
    const { scope, key } = act;
    // Another request with the key is being carried out, or was faster.
    if (!(await lockKey(tx, scope, key)) || (await findStoredReply(tx, scope, key)) !== null)
      fail("idempotency.in_flight");
    await insertReply(tx, { ...act, status: 200, reply: { output: null }, createdAt: now });
  };
