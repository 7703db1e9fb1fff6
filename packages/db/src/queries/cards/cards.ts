/** Cards: one by one, in lists, and their moves along the state machine. */
import { cardMachine, type CardStatus, cardStatusCodes, endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { listOrigins } from "@cardkeep/contract/core/machine";
import { and, count, desc, eq, inArray, lt, lte, notInArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { prepareRow, prepareRows } from "../../rows.ts";
import { isBehindAtIssuer } from "../../schema/cards/cards.ts";
import { isNoneOf } from "../../schema/columns.ts";
import { cards } from "../../schema/tables.ts";
import { listLate } from "./listLate.ts";

export type Card = typeof cards.$inferSelect;

export async function insertCard(tx: Tx, row: typeof cards.$inferInsert): Promise<Card> {
  const [inserted] = await tx.insert(cards).values(row).returning();
  if (!inserted) throw new Error("The card was not written");
  return inserted;
}

export const findCard = (on: Executor, id: string): Promise<Card | null> => selectCard(on, { id });

const isThisCard = sql`where ${cards.id} = ${sql.placeholder("id")}`;
const selectCard = prepareRow<"id", typeof cards>(cards, isThisCard);
const selectLocked = prepareRow<"id", typeof cards>(cards, sql`${isThisCard} for no key update`);

/** Cards by their ids, in no order. */
export async function listCardsById(on: Executor, ids: readonly string[]): Promise<Card[]> {
  if (ids.length === 0) return [];
  return on
    .select()
    .from(cards)
    .where(sql`${cards.id} in (select json_array_elements_text(${JSON.stringify(ids)}::json))`);
}

export async function findCardByToken(on: Executor, cardToken: string): Promise<Card | null> {
  const [row] = await on.select().from(cards).where(eq(cards.cardToken, cardToken)).limit(1);
  return row ?? null;
}

/** Takes the card's row lock; it comes after those of user and Safe. */
export const lockCard = (tx: Tx, id: string): Promise<Card | null> => selectLocked(tx, { id });

/** A user's cards, newest first. */
export const listCards = (on: Executor, userId: string): Promise<Card[]> => selectCards(on, { userId });

const selectCards = prepareRows<"userId", typeof cards>(
  cards,
  sql`where ${cards.userId} = ${sql.placeholder("userId")} order by ${cards.createdAt} desc, ${cards.id} desc`,
);

/** Cards, newest first, as their ids are; null leaves a condition out. `after` names the last row of the page before. */
export async function listAllCards(
  on: Executor,
  {
    userId,
    status,
    after,
    limit,
  }: { userId: string | null; status: CardStatus | null; after: string | null; limit: number },
): Promise<Card[]> {
  return on
    .select()
    .from(cards)
    .where(
      and(
        userId === null ? undefined : eq(cards.userId, userId),
        status ? eq(cards.statusCode, status) : undefined,
        after === null ? undefined : lt(cards.id, after),
      ),
    )
    .orderBy(desc(userId === null ? cards.id : sql`${cards.id} collate "C"`))
    .limit(limit);
}

/** The card that was made for an order. */
export async function findCardByOrder(on: Executor, orderId: string): Promise<Card | null> {
  const [row] = await on.select().from(cards).where(eq(cards.orderId, orderId)).limit(1);
  return row ?? null;
}

/** Cards that have not ended though their last month is over. */
export async function listExpiredCards(on: Executor, now: Date): Promise<Pick<Card, "id">[]> {
  // Without a limit: cards whose expiry fails stay due, and a page of them would hide the others.
  return on
    .select({ id: cards.id })
    .from(cards)
    .where(and(lte(cards.expiresAt, now), isNoneOf(cards.statusCode, endedCardStatuses)));
}

/**
 * Cards whose status the issuer has not taken for so long: those first that may not spend, then the newest. Without expired ones: a card
 * spends nothing after its last month, also while it is active there.
 */
export async function listLateCards(
  on: Executor,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<Pick<Card, "id" | "issuerStatus">[]> {
  const isLive = isNoneOf(cards.statusCode, [cardStatusCodes.expired]);
  const isBehind = and(sql`(${isBehindAtIssuer(cards)})`, isLive);
  const { id, issuerStatus } = cards;
  return listLate(on, { table: cards, id, issuerStatus, isBehind, task: "card.sync" }, { seconds, limit });
}

/** How many of a user's cards have not ended, whether they spend now or not. */
export async function countLiveCards(on: Executor, userId: string): Promise<number> {
  const [row] = await on
    .select({ live: count() })
    .from(cards)
    .where(and(eq(cards.userId, userId), notInArray(cards.statusCode, [...endedCardStatuses])));
  return row?.live ?? 0;
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

/** Changes a card that keeps its status. */
export async function updateCard(tx: Tx, id: string, change: CardChange): Promise<void> {
  await tx.update(cards).set(change).where(eq(cards.id, id));
}
