/** Disputes of card transactions. */
import { and, eq } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { cardDisputes } from "../../schema/tables.ts";

type CardDispute = typeof cardDisputes.$inferSelect;

/** Inserts a dispute; null when its payment has one. */
export async function insertDispute(tx: Tx, row: typeof cardDisputes.$inferInsert): Promise<CardDispute | null> {
  const [inserted] = await tx.insert(cardDisputes).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

export async function findDispute(on: Executor, id: string): Promise<CardDispute | null> {
  const [row] = await on.select().from(cardDisputes).where(eq(cardDisputes.id, id)).limit(1);
  return row ?? null;
}

/** A payment's dispute that the issuer does not know yet. */
export async function findWaitingDispute(on: Executor, paymentId: string): Promise<CardDispute | null> {
  const [row] = await on
    .select()
    .from(cardDisputes)
    .where(and(eq(cardDisputes.paymentId, paymentId), eq(cardDisputes.status, "requested")))
    .limit(1);
  return row ?? null;
}

export async function updateDispute(
  tx: Tx,
  id: string,
  change: Partial<typeof cardDisputes.$inferInsert>,
): Promise<void> {
  await tx.update(cardDisputes).set(change).where(eq(cardDisputes.id, id));
}
