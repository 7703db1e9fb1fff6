import { fail } from "@cardkeep/contract/core/errors";
import { type CardPayment, findPayment, findThreadPayment } from "@cardkeep/db/queries/spending/payments";
import type { UserContext } from "../../core/context.ts";

/** A user's own payment; another user's payment is not found either. @throws transactions.not_found */
export async function getOwnPayment({ db, actor }: UserContext, threadId: string): Promise<CardPayment> {
  const key = await findThreadPayment(db, threadId);
  // Another user's row is not even read: the answers to a known and an unknown thread take the same time.
  const payment = key?.userId === actor.userId ? await findPayment(db, key) : null;
  return payment ?? fail("transactions.not_found");
}
