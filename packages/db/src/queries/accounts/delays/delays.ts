/** Delayed operations: one by one, and their moves along the state machine. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { listFinalStates, listOrigins } from "@cardkeep/contract/core/machine";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { insertIfNew, prepareRow } from "../../../rows.ts";
import { isNoneOf } from "../../../schema/columns.ts";
import { delayTransactions } from "../../../schema/tables.ts";

export type DelayTransaction = typeof delayTransactions.$inferSelect;

/** Whether an operation is open: neither executed nor failed. */
export const isOpenDelay = isNoneOf(delayTransactions.status, listFinalStates(delayMachine));

export const findDelay = (on: Executor, id: string): Promise<DelayTransaction | null> => selectDelay(on, { id });

const selectDelay = prepareRow<"id", typeof delayTransactions>(
  delayTransactions,
  sql`where ${delayTransactions.id} = ${sql.placeholder("id")}`,
);

/** Inserts an operation; null when its signed message was accepted before. */
export async function insertDelay(
  tx: Tx,
  row: typeof delayTransactions.$inferInsert,
): Promise<DelayTransaction | null> {
  return insertIfNew(tx, delayTransactions, row);
}

type DelayChange = Omit<Partial<typeof delayTransactions.$inferInsert>, "id" | "status">;

/** Moves an operation on; null when it is in no state any more from which the machine's table lets it go there. */
export const moveDelay = (tx: Tx, id: string, to: DelayStatus, change: DelayChange): Promise<DelayTransaction | null> =>
  writeDelay(tx, id, listOrigins(delayMachine, to), { ...change, status: to });

/** Changes an operation that stays where it is; null when that is none of `states`. */
export const updateDelay = (
  tx: Tx,
  id: string,
  states: readonly DelayStatus[],
  change: DelayChange,
): Promise<DelayTransaction | null> => writeDelay(tx, id, states, change);

async function writeDelay(
  tx: Tx,
  id: string,
  states: readonly DelayStatus[],
  change: DelayChange & { status?: DelayStatus },
): Promise<DelayTransaction | null> {
  const [row] = await tx
    .update(delayTransactions)
    .set(change)
    .where(and(eq(delayTransactions.id, id), inArray(delayTransactions.status, [...states])))
    .returning();
  return row ?? null;
}
