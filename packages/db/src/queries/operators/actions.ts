/** The operators' action log. */
import { eq } from "drizzle-orm";
import type { Tx } from "../../client.ts";
import { operatorActions, operatorChain } from "../../schema/tables.ts";

export type OperatorAction = typeof operatorActions.$inferSelect;

/** The newest action of the log. */
export type ChainHead = Pick<typeof operatorChain.$inferSelect, "sequence" | "hash">;

const theChain = 1;

/**
 * Locks the log's end until the transaction ends. It is the last lock that a transaction takes.
 *
 * @throws Error if the row that the migration made is gone
 */
export async function lockChain(tx: Tx): Promise<ChainHead> {
  const [row] = await tx
    .select({ sequence: operatorChain.sequence, hash: operatorChain.hash })
    .from(operatorChain)
    .where(eq(operatorChain.id, theChain))
    .for("update");
  if (!row) throw new Error("operator_chain has no row: the action log cannot go on");
  return row;
}

/** Appends an action behind the locked end of the log. */
export async function insertAction(tx: Tx, action: OperatorAction): Promise<void> {
  await tx.insert(operatorActions).values(action);
  const { sequence, hash } = action;
  await tx.update(operatorChain).set({ sequence, hash }).where(eq(operatorChain.id, theChain));
}
