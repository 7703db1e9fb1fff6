/** Versions of cardholders' own rules on their cards. */
import { desc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { cardControls } from "../../../schema/tables.ts";

export type ControlsVersion = typeof cardControls.$inferSelect;

/** The version in force; null before any. */
export async function findControls(on: Executor, cardId: string): Promise<ControlsVersion | null> {
  const [row] = await on
    .select()
    .from(cardControls)
    .where(eq(cardControls.cardId, cardId))
    .orderBy(desc(cardControls.version))
    .limit(1);
  return row ?? null;
}

/** The newest versions of a card. */
export async function listControls(on: Executor, cardId: string, limit: number): Promise<ControlsVersion[]> {
  return on
    .select()
    .from(cardControls)
    .where(eq(cardControls.cardId, cardId))
    .orderBy(desc(cardControls.version))
    .limit(limit);
}

export async function insertControls(tx: Tx, row: ControlsVersion): Promise<void> {
  await tx.insert(cardControls).values(row);
}
