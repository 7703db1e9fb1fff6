/** Top-ups of the keys that pay for transactions: the booked transfers, and the sum of a day. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { desc, eq, gt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { topUps } from "../../schema/tables.ts";

export type TopUp = typeof topUps.$inferSelect;

/** The newest top-up of a key; null where it never had one. */
export async function findNewestTopUp(on: Executor, recipient: Address): Promise<TopUp | null> {
  const [row] = await on
    .select()
    .from(topUps)
    .where(eq(topUps.recipient, recipient))
    .orderBy(desc(topUps.createdAt), desc(topUps.id))
    .limit(1);
  return row ?? null;
}

/** Base units of all top-ups booked after an instant, settled or not. */
export async function sumTopUps(on: Executor, since: Date): Promise<bigint> {
  const [row] = await on
    .select({ sum: sql<string>`coalesce(sum(${topUps.amount}), 0)` })
    .from(topUps)
    .where(gt(topUps.createdAt, since));
  return BigInt(row?.sum ?? 0);
}

export async function insertTopUp(
  tx: Tx,
  row: Pick<TopUp, "id" | "recipient" | "amount" | "createdAt">,
): Promise<void> {
  await tx.insert(topUps).values(row);
}

/** Records that nothing of a top-up is under way. */
export async function settleTopUp(tx: Tx, id: string, settledAt: Date, hash: Hex | null): Promise<void> {
  await tx.update(topUps).set({ settledAt, hash }).where(eq(topUps.id, id));
}
