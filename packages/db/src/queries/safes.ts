/** Safes. */
import { canMove } from "@cardkeep/contract/machine";
import { deploymentMachine } from "@cardkeep/contract/safes";
import { and, desc, eq, inArray } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { safeStatuses } from "../schema/safes.ts";
import { safes } from "../schema/tables.ts";

export type Safe = typeof safes.$inferSelect;

/** The user's newest Safe, whatever its status. */
export async function findNewestSafe(on: Executor, userId: string): Promise<Safe | null> {
  const [row] = await on.select().from(safes).where(eq(safes.userId, userId)).orderBy(desc(safes.createdAt)).limit(1);
  return row ?? null;
}

/** The user's Safe that is set up and in service. */
export async function findActiveSafe(on: Executor, userId: string): Promise<Safe | null> {
  const [row] = await on
    .select()
    .from(safes)
    .where(and(eq(safes.userId, userId), eq(safes.status, "ok")))
    .limit(1);
  return row ?? null;
}

export async function findSafe(on: Executor, id: string): Promise<Safe | null> {
  const [row] = await on.select().from(safes).where(eq(safes.id, id)).limit(1);
  return row ?? null;
}

/** Takes the Safe's row lock: whoever holds it decides the order of that Safe's operations. */
export async function lockSafe(tx: Tx, id: string): Promise<Safe | null> {
  const [row] = await tx.select().from(safes).where(eq(safes.id, id)).for("update");
  return row ?? null;
}

/** Inserts a Safe unless the user has a live one; false then. */
export async function insertSafe(tx: Tx, row: typeof safes.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(safes).values(row).onConflictDoNothing().returning({ id: safes.id });
  return inserted.length === 1;
}

export async function updateSafe(
  tx: Tx,
  id: string,
  change: Omit<Partial<typeof safes.$inferInsert>, "id" | "status">,
): Promise<void> {
  await tx.update(safes).set(change).where(eq(safes.id, id));
}

/** Ends a deployment; false when it is in no state any more from which the machine's table lets it go there. */
export async function settleSafe(
  tx: Tx,
  id: string,
  change: { status: "ok" | "failed"; reason?: string; updatedAt: Date },
): Promise<boolean> {
  const origins = safeStatuses.filter((from) => canMove(deploymentMachine, from, change.status));
  const moved = await tx
    .update(safes)
    .set(change)
    .where(and(eq(safes.id, id), inArray(safes.status, origins)))
    .returning({ id: safes.id });
  return moved.length === 1;
}
