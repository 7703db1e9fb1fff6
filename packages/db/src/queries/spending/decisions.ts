/** What was decided about each request of the issuer. */
import { and, asc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { insertIfNew } from "../../rows.ts";
import { cardDecisions } from "../../schema/tables.ts";
import type { PaymentKey } from "./payments.ts";

export type CardDecision = typeof cardDecisions.$inferSelect;

const isOf = ({ id, userId }: PaymentKey) => and(eq(cardDecisions.paymentId, id), eq(cardDecisions.userId, userId));

/** Inserts a decision; false where the request has one. */
export const insertDecisionIfNew = async (tx: Tx, row: CardDecision): Promise<boolean> =>
  (await insertIfNew(tx, cardDecisions, row)) !== null;

/** The decisions about a payment in the order of the requests. */
export async function listDecisions(on: Executor, key: PaymentKey): Promise<CardDecision[]> {
  return on.select().from(cardDecisions).where(isOf(key)).orderBy(asc(cardDecisions.ordinal));
}
