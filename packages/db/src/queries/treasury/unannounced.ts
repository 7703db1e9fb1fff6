/** Money that left the settlement account unannounced. */
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import { treasuryItems } from "../../schema/tables.ts";

export type TreasuryItem = typeof treasuryItems.$inferSelect;

/** The open items, oldest first. */
export const listOpenTreasuryItems = (on: Executor): Promise<TreasuryItem[]> =>
  on
    .select()
    .from(treasuryItems)
    .where(isNull(treasuryItems.closedAt))
    .orderBy(asc(treasuryItems.foundAt), asc(treasuryItems.id));

export async function insertItem(
  tx: Tx,
  row: Pick<TreasuryItem, "id" | "token" | "amount" | "foundAt">,
): Promise<void> {
  await tx.insert(treasuryItems).values(row);
}

/** Sets what is still missing of an open item. */
export async function setItemAmount(tx: Tx, id: string, amount: bigint): Promise<void> {
  await tx.update(treasuryItems).set({ amount }).where(eq(treasuryItems.id, id));
}

/** Closes an open item; null where it has ended or never was. */
export async function closeItem(
  tx: Tx,
  id: string,
  end: { outcome: "returned" | "explained"; closedAt: Date; closedBy: string | null; reason: string | null },
): Promise<TreasuryItem | null> {
  const [row] = await tx
    .update(treasuryItems)
    .set(end)
    .where(and(eq(treasuryItems.id, id), isNull(treasuryItems.closedAt)))
    .returning();
  return row ?? null;
}

export async function findItem(on: Executor, id: string): Promise<TreasuryItem | null> {
  const [row] = await on.select().from(treasuryItems).where(eq(treasuryItems.id, id)).limit(1);
  return row ?? null;
}

/** The items that operators explained, in the order in which they did. */
export async function listExplainedItems(
  on: Executor,
): Promise<(Pick<TreasuryItem, "token" | "amount"> & { closedAt: Date })[]> {
  const rows = await on
    .select({ token: treasuryItems.token, amount: treasuryItems.amount, closedAt: treasuryItems.closedAt })
    .from(treasuryItems)
    .where(eq(treasuryItems.outcome, "explained"))
    .orderBy(asc(treasuryItems.closedAt), asc(treasuryItems.id));
  return rows.flatMap(({ closedAt, ...item }) => (closedAt ? [{ ...item, closedAt }] : []));
}

/** Base units of the open items of a token. */
export async function sumOpenItems(on: Executor, token: SettlementToken): Promise<bigint> {
  const [row] = await on
    .select({ sum: sql<string>`coalesce(sum(${treasuryItems.amount}), 0)` })
    .from(treasuryItems)
    .where(and(eq(treasuryItems.token, token), isNull(treasuryItems.closedAt)));
  return BigInt(row?.sum ?? 0);
}
