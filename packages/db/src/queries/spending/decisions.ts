/** What was decided about each request of the issuer. */
import { and, asc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { insertIfNew, writeRow } from "../../rows.ts";
import { cardDecisions } from "../../schema/tables.ts";
import type { PaymentKey } from "./payments.ts";

export type CardDecision = typeof cardDecisions.$inferSelect;

const isOf = ({ id, userId }: PaymentKey) => and(eq(cardDecisions.paymentId, id), eq(cardDecisions.userId, userId));

/** Inserts the first decision about a payment that this commit has inserted. */
export const insertDecision = (tx: Tx, row: CardDecision): Promise<void> => writeRow(tx, cardDecisions, row);

/** Inserts a decision; false where the request has one. */
export const insertDecisionIfNew = async (tx: Tx, row: CardDecision): Promise<boolean> =>
  (await insertIfNew(tx, cardDecisions, row)) !== null;

/** The decision about one request of a payment; null where there is none. */
export async function findDecision(on: Executor, key: PaymentKey, ordinal: number): Promise<CardDecision | null> {
  const [row] = await on
    .select()
    .from(cardDecisions)
    .where(and(isOf(key), eq(cardDecisions.ordinal, ordinal)));
  return row ?? null;
}

/** The decisions about a payment in the order of the requests. */
export async function listDecisions(on: Executor, key: PaymentKey): Promise<CardDecision[]> {
  return on.select().from(cardDecisions).where(isOf(key)).orderBy(asc(cardDecisions.ordinal));
}
