/** Cards, and cards to be. */
import { cardMachine, type CardStatus, endedCardStatuses } from "@cardkeep/contract/cards";
import { listOrigins } from "@cardkeep/contract/machine";
import { and, count, desc, eq, inArray, lte, notInArray } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { isNoneOf } from "../schema/columns.ts";
import { cardEnvelopes, cardholders, cardIssues, cards, issuerCallbacks, publishedKeys } from "../schema/tables.ts";

export type Card = typeof cards.$inferSelect;
export type CardIssue = typeof cardIssues.$inferSelect;
export type CardEnvelope = typeof cardEnvelopes.$inferSelect;

export async function insertCard(tx: Tx, row: typeof cards.$inferInsert): Promise<Card> {
  const [inserted] = await tx.insert(cards).values(row).returning();
  if (!inserted) throw new Error("The card was not written");
  return inserted;
}

export async function findCard(on: Executor, id: string): Promise<Card | null> {
  const [row] = await on.select().from(cards).where(eq(cards.id, id)).limit(1);
  return row ?? null;
}

export async function findCardByToken(on: Executor, cardToken: string): Promise<Card | null> {
  const [row] = await on.select().from(cards).where(eq(cards.cardToken, cardToken)).limit(1);
  return row ?? null;
}

/** Takes the card's row lock; it comes after those of user and Safe. */
export async function lockCard(tx: Tx, id: string): Promise<Card | null> {
  const [row] = await tx.select().from(cards).where(eq(cards.id, id)).for("update");
  return row ?? null;
}

/** A user's cards, newest first. */
export async function listCards(on: Executor, userId: string): Promise<Card[]> {
  return on.select().from(cards).where(eq(cards.userId, userId)).orderBy(desc(cards.createdAt), desc(cards.id));
}

/** Cards, newest first; null leaves a condition out. */
export async function listAllCards(
  on: Executor,
  { userId, status, limit }: { userId: string | null; status: CardStatus | null; limit: number },
): Promise<Card[]> {
  return on
    .select()
    .from(cards)
    .where(
      and(userId === null ? undefined : eq(cards.userId, userId), status ? eq(cards.statusCode, status) : undefined),
    )
    .orderBy(desc(cards.createdAt), desc(cards.id))
    .limit(limit);
}

/** Cards that have not ended though their last month is over. */
export async function listExpiredCards(on: Executor, now: Date): Promise<Pick<Card, "id">[]> {
  // Without a limit: cards whose expiry fails stay due, and a page of them would hide the others.
  return on
    .select({ id: cards.id })
    .from(cards)
    .where(and(lte(cards.expiresAt, now), isNoneOf(cards.statusCode, endedCardStatuses)));
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

/** Inserts a card to be; false when its user has one under way, or its order has one or had its card. */
export async function insertCardIssue(tx: Tx, row: typeof cardIssues.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(cardIssues).values(row).onConflictDoNothing().returning({ id: cardIssues.id });
  return inserted.length === 1;
}

export async function findCardIssue(on: Executor, id: string): Promise<CardIssue | null> {
  const [row] = await on.select().from(cardIssues).where(eq(cardIssues.id, id)).limit(1);
  return row ?? null;
}

/** What a request with an idempotency key began; null where nothing was. */
export async function findCardIssueByKey(on: Executor, userId: string, requestKey: string): Promise<CardIssue | null> {
  const [row] = await on
    .select()
    .from(cardIssues)
    .where(and(eq(cardIssues.userId, userId), eq(cardIssues.requestKey, requestKey)));
  return row ?? null;
}

/** The card to be of a user; there is one at most. */
export async function findOpenCardIssue(on: Executor, userId: string): Promise<CardIssue | null> {
  const [row] = await on
    .select()
    .from(cardIssues)
    .where(and(eq(cardIssues.userId, userId), eq(cardIssues.status, "open")))
    .limit(1);
  return row ?? null;
}

export async function lockCardIssue(tx: Tx, id: string): Promise<CardIssue | null> {
  const [row] = await tx.select().from(cardIssues).where(eq(cardIssues.id, id)).for("update");
  return row ?? null;
}

export async function updateCardIssue(
  tx: Tx,
  id: string,
  change: Partial<typeof cardIssues.$inferInsert>,
): Promise<void> {
  await tx.update(cardIssues).set(change).where(eq(cardIssues.id, id));
}

/** The issuer's id of a user; null when the issuer does not know them yet. */
export async function findCardholderId(on: Executor, userId: string): Promise<string | null> {
  const [row] = await on.select().from(cardholders).where(eq(cardholders.userId, userId)).limit(1);
  return row?.issuerId ?? null;
}

/** Keeps the issuer's id of a user; the first one stays. */
export async function insertCardholder(tx: Tx, row: typeof cardholders.$inferInsert): Promise<void> {
  await tx.insert(cardholders).values(row).onConflictDoNothing();
}

/** Remembers a callback of the issuer; false when it came before. */
export async function insertIssuerCallback(tx: Tx, row: typeof issuerCallbacks.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(issuerCallbacks)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: issuerCallbacks.id });
  return inserted.length === 1;
}

export async function insertEnvelope(tx: Tx, row: typeof cardEnvelopes.$inferInsert): Promise<void> {
  await tx.insert(cardEnvelopes).values(row);
}

export async function findEnvelope(on: Executor, id: string): Promise<CardEnvelope | null> {
  const [row] = await on.select().from(cardEnvelopes).where(eq(cardEnvelopes.id, id)).limit(1);
  return row ?? null;
}

/** The PIN that goes with a card to be; null where its user chose none, or it was opened already. */
export async function findPinEnvelope(on: Executor, issueId: string): Promise<CardEnvelope | null> {
  const [row] = await on.select().from(cardEnvelopes).where(eq(cardEnvelopes.issueId, issueId)).limit(1);
  return row ?? null;
}

/** Empties an envelope, and keeps what came of it. */
export async function answerEnvelope(
  tx: Tx,
  id: string,
  answer: { outcome: NonNullable<CardEnvelope["outcome"]>; cardId: string | null },
): Promise<void> {
  await tx
    .update(cardEnvelopes)
    .set({ ...answer, encryptedKey: null, encryptedData: null, iv: null })
    .where(eq(cardEnvelopes.id, id));
}

export async function deleteEnvelope(tx: Tx, id: string): Promise<void> {
  await tx.delete(cardEnvelopes).where(eq(cardEnvelopes.id, id));
}

/** Publishes the public half of a key under a name, instead of any earlier one. */
export async function upsertPublishedKey(on: Executor, row: typeof publishedKeys.$inferInsert): Promise<void> {
  const { publicKey, updatedAt } = row;
  await on
    .insert(publishedKeys)
    .values(row)
    .onConflictDoUpdate({ target: publishedKeys.name, set: { publicKey, updatedAt } });
}

export async function findPublishedKey(on: Executor, name: string): Promise<string | null> {
  const [row] = await on.select().from(publishedKeys).where(eq(publishedKeys.name, name)).limit(1);
  return row?.publicKey ?? null;
}
