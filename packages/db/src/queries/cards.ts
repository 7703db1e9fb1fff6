/** Cards, and cards to be. */
import { cardMachine, type CardStatus } from "@cardkeep/contract/cards";
import { listOrigins } from "@cardkeep/contract/machine";
import { and, eq, inArray } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { cards } from "../schema/tables.ts";

export type Card = typeof cards.$inferSelect;

export async function insertCard(tx: Tx, row: typeof cards.$inferInsert): Promise<Card> {
  const [inserted] = await tx.insert(cards).values(row).returning();
  if (!inserted) throw new Error("The card was not written");
  return inserted;
}

export async function findCard(on: Executor, id: string): Promise<Card | null> {
  const [row] = await on.select().from(cards).where(eq(cards.id, id)).limit(1);
  return row ?? null;
}

type CardChange = Omit<Partial<typeof cards.$inferInsert>, "id" | "userId" | "statusCode" | "cardToken">;

/** Moves a card on; null when it is in no state any more from which the machine's table lets it go there. */
export async function moveCard(
  tx: Tx,
  id: string,
  to: CardStatus,
  change: CardChange,
  by: "operator" | "anyone" = "anyone",
): Promise<Card | null> {
  const [row] = await tx
    .update(cards)
    .set({ ...change, statusCode: to })
    .where(and(eq(cards.id, id), inArray(cards.statusCode, listOrigins(cardMachine, to, by))))
    .returning();
  return row ?? null;
}
