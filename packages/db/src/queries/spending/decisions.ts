/** What was decided about each request of the issuer. */
import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { insertIfNew, prepareRows } from "../../rows.ts";
import { cardDecisions } from "../../schema/tables.ts";
import type { PaymentKey } from "./payments.ts";

export type CardDecision = typeof cardDecisions.$inferSelect;

/** Inserts a decision; false where the request has one. */
export const insertDecisionIfNew = async (tx: Tx, row: CardDecision): Promise<boolean> =>
  (await insertIfNew(tx, cardDecisions, row)) !== null;

/** The decisions about a payment in the order of the requests. */
export const listDecisions = (on: Executor, { id, userId }: PaymentKey): Promise<CardDecision[]> =>
  selectDecisions(on, { id, userId });

const selectDecisions = prepareRows<"id" | "userId", typeof cardDecisions>(
  cardDecisions,
  sql`where ${cardDecisions.paymentId} = ${sql.placeholder("id")} and ${cardDecisions.userId} = ${sql.placeholder("userId")}
    order by ${cardDecisions.ordinal}`,
);
