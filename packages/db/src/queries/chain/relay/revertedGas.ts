/** What people's operations cost in transactions that blocks refused. */
import { and, desc, eq, gt, inArray } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { revertedGas } from "../../../schema/tables.ts";

export type RevertedGas = typeof revertedGas.$inferSelect;

/** One refused transaction of a person's operation. */
export type Revert = Pick<RevertedGas, "cost" | "createdAt">;

/** Records what one transaction cost for some operations; each counts once, however often it is settled. */
export async function insertRevertedGas(tx: Tx, row: RevertedGas): Promise<void> {
  await tx.insert(revertedGas).values(row).onConflictDoNothing();
}

/** Forgets transactions whose block was removed: they are sent again. */
export async function deleteRevertedGas(tx: Tx, relayTransactionIds: readonly string[]): Promise<void> {
  if (relayTransactionIds.length === 0) return;
  await tx.delete(revertedGas).where(inArray(revertedGas.relayTransactionId, [...relayTransactionIds]));
}

/** The refused transactions after an instant, of everybody or of one person, the newest first. */
export async function listRevertedGas(
  on: Executor,
  { since, userId }: { since: Date; userId?: string },
): Promise<(Revert & Pick<RevertedGas, "userId">)[]> {
  const { cost, createdAt } = revertedGas;
  return on
    .select({ userId: revertedGas.userId, cost, createdAt })
    .from(revertedGas)
    .where(and(gt(createdAt, since), userId === undefined ? undefined : eq(revertedGas.userId, userId)))
    .orderBy(desc(createdAt));
}
