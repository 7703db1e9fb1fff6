/** The allow-list of the treasury. */
import { and, asc, eq, isNull, lte } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { treasuryDestinations } from "../../schema/tables.ts";

export type TreasuryDestination = typeof treasuryDestinations.$inferSelect;

/** The destinations that were not removed, oldest first. */
export const listDestinations = (on: Executor): Promise<TreasuryDestination[]> =>
  on
    .select()
    .from(treasuryDestinations)
    .where(isNull(treasuryDestinations.removedAt))
    .orderBy(asc(treasuryDestinations.addedAt), asc(treasuryDestinations.id));

/** A destination that counts at an instant; null for any other IBAN or address. */
export async function findUsableDestination(
  on: Executor,
  value: string,
  now: Date,
): Promise<TreasuryDestination | null> {
  const isUsable = and(isNull(treasuryDestinations.removedAt), lte(treasuryDestinations.usableAt, now));
  const [row] = await on
    .select()
    .from(treasuryDestinations)
    .where(and(eq(treasuryDestinations.value, value), isUsable))
    .limit(1);
  return row ?? null;
}

/** Adds a destination; null where it is on the list. */
export async function insertDestination(
  tx: Tx,
  row: Omit<TreasuryDestination, "removedBy" | "removedAt">,
): Promise<TreasuryDestination | null> {
  const [inserted] = await tx.insert(treasuryDestinations).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

/** Removes a destination by its id or value; null where none is on the list. */
export async function removeDestination(
  tx: Tx,
  value: string,
  removed: { removedBy: string; removedAt: Date },
): Promise<TreasuryDestination | null> {
  const [row] = await tx
    .update(treasuryDestinations)
    .set(removed)
    .where(and(eq(treasuryDestinations.value, value), isNull(treasuryDestinations.removedAt)))
    .returning();
  return row ?? null;
}

/** Whether the list ever had a destination. */
export async function hasDestinations(on: Executor): Promise<boolean> {
  return (await on.select({ id: treasuryDestinations.id }).from(treasuryDestinations).limit(1)).length > 0;
}
